import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Format version. Raised when older and newer releases cannot read each other's files. */
const VERSION = 1;

/**
 * Stores a state as JSON in a file that only its owner can read:
 * `{ "version": 1, "sha256": <of the state's text, hex>, "state": … }`.
 */
export class StateFile {
  #digest = '';

  constructor(private readonly path: string) {}

  /**
   * Passes the state to `restore`. Renames an unusable file (damaged, newer, not restorable) and reports it on stderr.
   * @returns true for a usable state
   * @throws Error of the file system
   */
  load(restore: (state: unknown) => void): boolean {
    const text = this.#read();
    if (text === null) return false;
    try {
      restore(stateIn(text));
      return true;
    } catch (error) {
      const aside = `${this.path}.${Date.now()}.unused`;
      renameSync(this.path, aside);
      process.stderr.write(`${this.path} is of no use (${(error as Error).message}) and is now ${aside}.\n`);
      return false;
    }
  }

  /** Writes atomically, and only when the state has changed. @throws Error of the file system */
  save(state: unknown): void {
    const text = JSON.stringify(state);
    const digest = digestOf(text);
    if (digest === this.#digest) return;
    const temporary = `${this.path}.new`;
    writeFileSync(temporary, `{"version":${VERSION},"sha256":"${digest}","state":${text}}\n`, {
      mode: 0o600,
      flush: true,
    });
    renameSync(temporary, this.path);
    this.#digest = digest;
  }

  #read(): string | null {
    try {
      return readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }
}

/** @throws Error with the reason */
function stateIn(text: string): unknown {
  const { version, sha256, state } = (JSON.parse(text) ?? {}) as {
    version?: unknown;
    sha256?: unknown;
    state?: unknown;
  };
  if (typeof version !== 'number') throw new Error('it is something else');
  if (version !== VERSION) throw new Error(`it has version ${version}, not ${VERSION}`);
  // Serializing the parsed state yields the original text.
  if (digestOf(JSON.stringify(state) ?? '') !== sha256) throw new Error('it is damaged');
  return state;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
