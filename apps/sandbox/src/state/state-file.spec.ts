import { jest } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateFile } from './state-file.js';

const STATE = { users: [{ name: 'Ada "the first" ✓', count: 0.1 }], '10': 'ten', '2': 'two' };

describe('StateFile', () => {
  let directory: string;
  let path: string;
  let file: StateFile;
  let written: jest.SpiedFunction<typeof process.stderr.write>;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'unified-calendar-state-'));
    path = join(directory, 'sandbox.json');
    file = new StateFile(path);
    written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => {
    written.mockRestore();
    rmSync(directory, { recursive: true });
  });

  function loaded(): unknown {
    const restore = jest.fn();
    return new StateFile(path).load(restore) ? restore.mock.calls[0]?.[0] : undefined;
  }

  it('gives back what was saved last', () => {
    file.save({ users: [] });
    file.save(STATE);
    expect(loaded()).toEqual(STATE);
    expect(written).not.toHaveBeenCalled();
  });

  it('says that there is none', () => {
    expect(loaded()).toBeUndefined();
    expect(readdirSync(directory)).toEqual([]);
    expect(written).not.toHaveBeenCalled();
  });

  it('is for its owner alone, and leaves nothing else behind', () => {
    file.save(STATE);
    expect(readdirSync(directory)).toEqual(['sandbox.json']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is not touched when nothing has changed', () => {
    file.save(STATE);
    const { ino } = statSync(path);
    file.save(structuredClone(STATE));
    expect(statSync(path).ino).toBe(ino);
  });

  it('gets another file in its place, never another content', () => {
    file.save({ users: [] });
    const { ino } = statSync(path);
    file.save(STATE);
    expect(statSync(path).ino).not.toBe(ino);
  });

  const whole = (): string => readFileSync(path, 'utf8');
  it.each<[string, () => string, string]>([
    ['half of a file', () => whole().slice(0, 100), 'JSON'],
    ['an empty file', () => '', 'JSON'],
    ['something else', () => 'null', 'something else'],
    ['an older format', () => whole().replace('"version":1', '"version":0'), 'version 0'],
    ['the file of a newer sandbox', () => whole().replace('"version":1', '"version":2'), 'version 2'],
    ['a changed file', () => whole().replace('ten', 'eleven'), 'damaged'],
    ['a file without a state', () => '{"version":1}', 'damaged'],
  ])('sets %s aside, and says so in one line', (_, text, reason) => {
    file.save(STATE);
    const content = text();
    writeFileSync(path, content);
    expect(loaded()).toBeUndefined();
    const names = readdirSync(directory);
    expect(names).toEqual([expect.stringMatching(/^sandbox\.json\.\d+\.unused$/)]);
    expect(readFileSync(join(directory, names[0]!), 'utf8')).toBe(content);
    expect(written.mock.calls).toEqual([[expect.stringMatching(/^.+ is of no use .+ is now .+\.unused\.\n$/)]]);
    expect(written.mock.calls[0]?.[0]).toContain(reason);
  });

  it('sets aside what cannot be restored', () => {
    file.save(STATE);
    const restored = file.load(() => {
      throw new Error('no such user');
    });
    expect(restored).toBe(false);
    expect(readdirSync(directory)).toEqual([expect.stringContaining('.unused')]);
    expect(written.mock.calls[0]?.[0]).toContain('no such user');
  });

  it('does not take a file that it may not read for none', () => {
    const folder = new StateFile(directory);
    expect(() => folder.load(() => undefined)).toThrow('EISDIR');
  });

  it('does not take for saved what could not be written', () => {
    const missing = new StateFile(join(directory, 'missing', 'sandbox.json'));
    expect(() => missing.save(STATE)).toThrow('ENOENT');
    expect(() => missing.save(STATE)).toThrow('ENOENT');
  });
});
