import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { KeyRing } from '#persistence';
import { identityOf, isRunning, type ProcessIdentity } from './process-identity.js';

/** What a running `npm start` tells the commands that work beside it. */
export interface RunningStack {
  supervisor: ProcessIdentity;
  /** api, worker, sandbox: to be ended when the supervisor was killed and they were not. */
  children: ProcessIdentity[];
  databaseUrl: string;
  baseUrl: string;
}

/** The service is already running on these data. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

/**
 * The folder where `npm start` keeps what must survive it: the database's files, the encryption keys, and, while it
 * runs, how to reach it. Everything in it is readable by its owner only.
 */
export class DataDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** `DATA_DIR`, else `.data` below the working directory. */
  static fromEnvironment(env: NodeJS.ProcessEnv): DataDirectory {
    return new DataDirectory(env.DATA_DIR === undefined || env.DATA_DIR === '' ? '.data' : env.DATA_DIR);
  }

  get database(): string {
    return join(this.path, 'postgres');
  }

  /** What the sandbox remembers from one start to the next. */
  get sandbox(): string {
    return join(this.path, 'sandbox.json');
  }

  private get stateFile(): string {
    return join(this.path, 'running.json');
  }

  private get keysFile(): string {
    return join(this.path, 'encryption-keys');
  }

  /** Not 0700: when this runs as root, PostgreSQL runs as another user and must be able to pass through. */
  create(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o711 });
  }

  /** The stack that is running on these data; null when none is. */
  running(): RunningStack | null {
    const state = this.readState();
    return state !== null && isRunning(state.supervisor) ? state : null;
  }

  /**
   * The children of a stack whose supervisor is gone, that are still there.
   * @throws AlreadyRunning
   */
  leftovers(): ProcessIdentity[] {
    const state = this.readState();
    if (state === null) return [];
    if (isRunning(state.supervisor) && state.supervisor.pid !== process.pid) {
      throw new AlreadyRunning(
        `The service is already running on ${this.path} (process ${state.supervisor.pid}, ${state.baseUrl}).`,
      );
    }
    return state.children.filter(isRunning);
  }

  publish(state: Omit<RunningStack, 'supervisor' | 'children'> & { childPids: number[] }): void {
    const supervisor = identityOf(process.pid);
    if (supervisor === null) throw new Error('this process cannot find itself');
    const { childPids, ...rest } = state;
    const children = childPids.map(identityOf).filter((identity) => identity !== null);
    writePrivately(this.stateFile, JSON.stringify({ ...rest, supervisor, children }));
  }

  withdraw(): void {
    rmSync(this.stateFile, { force: true });
  }

  /** The text of ENCRYPTION_KEYS for these data; null when none has been made yet. */
  encryptionKeys(): string | null {
    try {
      return readFileSync(this.keysFile, 'utf8').trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Made once. Whoever loses this file loses the credentials that it encrypted. */
  ensureEncryptionKeys(): string {
    const known = this.encryptionKeys();
    if (known !== null) return known;
    const made = `${this.keysFile}.${process.pid}`;
    writeFileSync(made, `${KeyRing.generateEntry('k1')}\n`, { mode: 0o600 });
    try {
      // Unlike a rename, a link never replaces what another process was quicker to make.
      linkSync(made, this.keysFile);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(made, { force: true });
    }
    return this.ensureEncryptionKeys();
  }

  private readState(): RunningStack | null {
    try {
      return JSON.parse(readFileSync(this.stateFile, 'utf8')) as RunningStack;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }
}

/** All or nothing: a reader, or a crash, never meets half of a file. */
function writePrivately(path: string, text: string): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text, { mode: 0o600 });
  chmodSync(temporary, 0o600); // an old temporary file keeps its old mode
  renameSync(temporary, path);
}
