import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AlreadyRunning, DataDirectory } from './data-directory.js';
import { identityOf, isRunning, kill } from './process-identity.js';

describe('DataDirectory', () => {
  let path: string;
  let data: DataDirectory;
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'unified-calendar-data-'));
    data = new DataDirectory(path);
    data.create();
  });
  afterEach(() => rmSync(path, { recursive: true }));

  const state = { databaseUrl: 'postgresql://localhost/x', baseUrl: 'http://localhost:3000', childPids: [] };

  it('makes encryption keys once, for the owner alone', () => {
    expect(data.encryptionKeys()).toBeNull();
    const keys = data.ensureEncryptionKeys(() => 'k1:secret');
    expect(keys).toBe('k1:secret');
    expect(new DataDirectory(path).ensureEncryptionKeys(() => 'k1:other')).toBe(keys);
    expect(statSync(join(path, 'encryption-keys')).mode & 0o777).toBe(0o600);
  });

  it('tells of a stack that is running, and no longer of one that has withdrawn', () => {
    expect(data.running()).toBeNull();
    data.publish(state);
    expect(data.running()).toMatchObject({ databaseUrl: state.databaseUrl, supervisor: { pid: process.pid } });
    expect(statSync(join(path, 'running.json')).mode & 0o777).toBe(0o600);
    data.withdraw();
    expect(data.running()).toBeNull();
  });

  it('does not take another process that got the same id for the stack', () => {
    data.publish(state);
    const file = join(path, 'running.json');
    const published = JSON.parse(readFileSync(file, 'utf8')) as { supervisor: { startedAt: string } };
    published.supervisor.startedAt = 'at another time';
    writeFileSync(file, JSON.stringify(published));
    expect(data.running()).toBeNull();
    expect(data.leftovers()).toEqual([]);
  });

  it('finds the children of a supervisor that was killed, and refuses those of one that runs', async () => {
    const child = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1_000)']);
    await once(child, 'spawn');
    const identity = identityOf(child.pid ?? 0);
    if (identity === null) throw new Error('the child is not there');
    const file = join(path, 'running.json');
    const write = (supervisor: object): void =>
      writeFileSync(file, JSON.stringify({ ...state, supervisor, children: [identity] }));

    write({ pid: process.ppid, startedAt: identityOf(process.ppid)?.startedAt });
    expect(() => data.leftovers()).toThrow(AlreadyRunning);

    write({ pid: process.ppid, startedAt: 'before' });
    expect(data.leftovers()).toEqual([identity]);
    const exited = once(child, 'exit');
    kill(identity);
    await exited;
    expect(isRunning(identity)).toBe(false);
    expect(data.leftovers()).toEqual([]);
  });
});
