import { jest } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxClock } from './clock.js';
import { SandboxState } from './sandbox-state.js';
import { Journal } from './journal.js';
import type { SandboxProvider } from './sandbox-provider.js';
import { StateFile } from './state/state-file.js';

/** Remembers one text, and what was asked of it. */
class FakeProvider implements SandboxProvider {
  readonly journal = new Journal({ nowMs: () => 0 });
  readonly controls = [];
  readonly asked: string[] = [];
  text: string | null = null;

  handle(): never {
    throw new Error('nobody calls');
  }

  seed(): void {
    this.text = 'seeded';
  }

  followRedirectUris(): void {
    this.asked.push('followRedirectUris');
  }

  prepare(): void {
    this.asked.push('prepare');
  }

  snapshot(): unknown {
    return { text: this.text };
  }

  restore(snapshot: unknown): void {
    const { text } = snapshot as { text: string };
    if (text === 'broken') throw new Error('it is broken');
    this.text = text;
  }

  reset(): void {
    this.text = null;
  }

  close(): void {
    this.asked.push('close');
  }
}

describe('SandboxState', () => {
  let directory: string;
  let memory: StateFile;
  let providers: Record<'first' | 'second', FakeProvider>;
  let clock: SandboxClock;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'house-'));
    memory = new StateFile(join(directory, 'sandbox.json'));
    providers = { first: new FakeProvider(), second: new FakeProvider() };
    clock = new SandboxClock();
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const texts = () => Object.values(providers).map(({ text }) => text);

  it.each([
    [true, 'seeded', ['followRedirectUris', 'prepare']],
    [false, null, ['prepare']],
  ])('begins anew without a memory, seeded: %s', async (isSeeded, text, asked) => {
    await new SandboxState(clock, providers, isSeeded).open(null);
    expect(texts()).toEqual([text, text]);
    expect(providers.second.asked).toEqual(asked);
  });

  it('goes on with its clock and its providers', async () => {
    memory.save({ clock: 5_000, first: { text: 'one' }, second: { text: 'two' } });
    const state = new SandboxState(clock, providers, true);
    await state.open(memory);
    expect(texts()).toEqual(['one', 'two']);
    expect(state.snapshot()).toEqual({ clock: 5_000, first: { text: 'one' }, second: { text: 'two' } });
  });

  it('seeds a provider that there was not when the memory was written, and no other', async () => {
    memory.save({ clock: 0, first: { text: 'one' } });
    await new SandboxState(clock, providers, true).open(memory);
    expect(texts()).toEqual(['one', 'seeded']);
  });

  it('keeps nothing of a memory of which a part is of no use', async () => {
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    memory.save({ clock: 5_000, first: { text: 'one' }, second: { text: 'broken' } });
    const state = new SandboxState(clock, providers, false);
    await state.open(memory);
    stderr.mockRestore();
    expect(state.snapshot()).toEqual({ clock: 0, first: { text: null }, second: { text: null } });
  });

  it('forgets everything when it begins anew', async () => {
    const state = new SandboxState(clock, providers, true);
    await state.open(null);
    providers.first.text = 'changed';
    clock.advance(5_000);
    await state.reset();
    expect(state.snapshot()).toEqual({ clock: 0, first: { text: 'seeded' }, second: { text: 'seeded' } });
  });
});
