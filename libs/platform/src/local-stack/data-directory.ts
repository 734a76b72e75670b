import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { identityOf, isRunning, type ProcessIdentity } from './process-identity.js';

export interface RunningStack {
  supervisor: ProcessIdentity;
  /** api, worker and sandbox: the next start ends those that outlive a killed supervisor. */
  children: ProcessIdentity[];
  databaseUrl: string;
  baseUrl: string;
  /** Settings by which the processes reach the sandbox. */
  sandbox?: Record<string, string>;
}

export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

/** Data that survive `npm start`, and the addresses while it runs. Only the owner can read the files. */
export class DataDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  static fromEnvironment(env: NodeJS.ProcessEnv): DataDirectory {
    return new DataDirectory(env.DATA_DIR === undefined || env.DATA_DIR === '' ? '.data' : env.DATA_DIR);
  }

  get database(): string {
    return join(this.path, 'postgres');
  }

  get sandbox(): string {
    return join(this.path, 'sandbox.json');
  }

  private get stateFile(): string {
    return join(this.path, 'running.json');
  }

  private get keysFile(): string {
    return join(this.path, 'encryption-keys');
  }

  /** Not 0700: under root, PostgreSQL runs as another user that must traverse this directory. */
  create(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o711 });
  }

  running(): RunningStack | null {
    const state = this.readState();
    return state !== null && isRunning(state.supervisor) ? state : null;
  }

  /** Returns the children that outlived their supervisor. @throws AlreadyRunning */
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

  /** null before the first start. */
  encryptionKeys(): string | null {
    try {
      return readFileSync(this.keysFile, 'utf8').trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /**
   * Losing this file loses the credentials that it encrypts.
   * @param create returns the value of ENCRYPTION_KEYS for a first start
   */
  ensureEncryptionKeys(create: () => string): string {
    const known = this.encryptionKeys();
    if (known !== null) return known;
    const made = `${this.keysFile}.${process.pid}`;
    writeFileSync(made, `${create()}\n`, { mode: 0o600 });
    try {
      // Unlike a rename, a link never overwrites the file of a faster process.
      linkSync(made, this.keysFile);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(made, { force: true });
    }
    return this.ensureEncryptionKeys(create);
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

/** Writes atomically: neither a reader nor a crash sees half of the file. */
function writePrivately(path: string, text: string): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text, { mode: 0o600 });
  chmodSync(temporary, 0o600); // an existing temporary file keeps its old mode
  renameSync(temporary, path);
}
