import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { RestartablePart } from './supervisor.js';
import { keepAlive, PartSupervisor, PartLost, type SupervisionOptions } from './supervisor.js';

class FakePart implements RestartablePart {
  readonly name = 'api';
  starts = 0;
  private end: () => void = () => undefined;
  private ended = new Promise<void>((resolve) => (this.end = resolve));

  constructor(private readonly outcome: (attempt: number) => 'answers' | 'fails' | 'answers, then dies') {}

  async start(): Promise<void> {
    this.starts += 1;
    const outcome = this.outcome(this.starts);
    if (outcome === 'fails') throw new Error('port taken');
    this.ended = new Promise((resolve) => (this.end = resolve));
    if (outcome === 'answers, then dies') this.end();
  }
  async restart(): Promise<void> {
    this.end();
    await this.start();
  }
  died(): Promise<void> {
    return this.ended;
  }
  die(): void {
    this.end();
  }
  async stop(): Promise<void> {}
  kill(): void {}
}

const report = jest.fn<(message: string) => void>();
const options: SupervisionOptions = {
  recoverWithinMs: 400,
  steadyAfterMs: 1_000,
  firstDelayMs: 5,
  maxDelayMs: 20,
  report,
};

beforeEach(() => report.mockClear());

describe('keepAlive', () => {
  it('starts a part again that died, as often as it takes', async () => {
    const part = new FakePart((attempt) => (attempt < 3 ? 'fails' : 'answers'));
    const stop = new AbortController();
    const kept = keepAlive(part, options, stop.signal);
    part.die();
    await delay(150);
    expect(part.starts).toBe(3);
    expect(report).toHaveBeenLastCalledWith(expect.stringContaining('api is answering again'));
    stop.abort();
    await kept;
  });

  it('gives up when a part does not come back in time', async () => {
    const part = new FakePart(() => 'fails');
    const kept = keepAlive(part, options, new AbortController().signal);
    part.die();
    await expect(kept).rejects.toThrow(PartLost);
  });

  it('does not mistake a part that dies at once for one that came back', async () => {
    const part = new FakePart(() => 'answers, then dies');
    const kept = keepAlive(part, options, new AbortController().signal);
    part.die();
    await expect(kept).rejects.toThrow(PartLost);
  });

  it('leaves a part alone once everything is being stopped', async () => {
    const part = new FakePart(() => 'answers');
    const stop = new AbortController();
    const kept = keepAlive(part, options, stop.signal);
    stop.abort();
    await kept;
    part.die();
    await delay(20);
    expect(part.starts).toBe(0);
  });
});

describe('Keeper', () => {
  const stop = new AbortController();
  const keep = (part: FakePart): PartSupervisor => {
    const supervisor = new PartSupervisor(part, options, stop.signal);
    void supervisor.keep();
    return supervisor;
  };
  afterAll(() => stop.abort());

  it('starts a part again with new code, and does not take that for a death', async () => {
    const part = new FakePart(() => 'answers');
    expect(await keep(part).restart()).toBe(true);
    expect(part.starts).toBe(1);
    await delay(20);
    expect(report).not.toHaveBeenCalled();
  });

  it('still starts a part again that dies with its new code', async () => {
    const part = new FakePart(() => 'answers');
    await keep(part).restart();
    part.die();
    await delay(50);
    expect(part.starts).toBe(2);
    expect(report).toHaveBeenCalledWith('api died; starting it again.');
  });

  it('leaves a part alone that does not start with its new code, until there is other code', async () => {
    const part = new FakePart((attempt) => (attempt === 1 ? 'fails' : 'answers'));
    const supervisor = keep(part);
    await expect(supervisor.restart()).rejects.toThrow('port taken');
    await delay(50);
    expect(part.starts).toBe(1);
    expect(await supervisor.restart()).toBe(true);
    expect(report).not.toHaveBeenCalled();
  });

  it('answers who asked first that it was asked again', async () => {
    const supervisor = keep(new FakePart(() => 'answers'));
    const [first, second] = [supervisor.restart(), supervisor.restart()];
    expect([await first, await second]).toEqual([false, true]);
  });
});
