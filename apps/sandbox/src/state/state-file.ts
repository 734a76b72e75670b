import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Of what is written: another number wherever an older sandbox could not read it, or this one not an older one's. */
const VERSION = 1;

/**
 * A state as JSON in a file that only its owner reads:
 * `{ "version": 1, "sha256": <of the state's text, hex>, "state": … }`.
 */
export class StateFile {
  #digest = '';

  constructor(private readonly path: string) {}

  /**
   * Hands the state to `restore`. A file that is damaged, newer, or cannot be restored is set aside under another name,
   * with a line on stderr.
   * @returns whether there was one that could be used
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

  /**
   * All or nothing: a reader, or a crash, never meets half of it. Nothing is written when nothing has changed.
   * @throws Error of the file system
   */
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

/** @throws Error that says why there is none */
function stateIn(text: string): unknown {
  const { version, sha256, state } = (JSON.parse(text) ?? {}) as {
    version?: unknown;
    sha256?: unknown;
    state?: unknown;
  };
  if (typeof version !== 'number') throw new Error('it is something else');
  if (version !== VERSION) throw new Error(`it has version ${version}, not ${VERSION}`);
  // Parsed and written again, what JSON.stringify wrote is the same text.
  if (digestOf(JSON.stringify(state) ?? '') !== sha256) throw new Error('it is damaged');
  return state;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
