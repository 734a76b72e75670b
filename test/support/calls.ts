import { eventually } from './processes.js';

/** Calls of a process that answers them with answer-calls.mjs. */
export class Calls {
  private readonly url: Promise<string>;

  /**
   * @param name for messages
   * @param firstLine that the process wrote; undefined before it has written one
   */
  constructor(name: string, firstLine: () => string | undefined, output: { stderr(): string }) {
    this.url = eventually(name, () => firstLine() || undefined, { everyMs: 20 }).catch((error: Error) => {
      throw new Error(`${error.message}: ${output.stderr()}`, { cause: error });
    });
    this.url.catch(() => undefined); // thrown to whoever calls
  }

  /** @throws Error with what the process says went wrong */
  async call<T>(method: 'POST' | 'DELETE', call: object): Promise<T> {
    const response = await fetch(await this.url, { method, body: JSON.stringify(call) });
    const reply = (await response.json()) as { answer?: unknown; error?: string };
    if (reply.error !== undefined) throw new Error(reply.error);
    return reply.answer as T;
  }
}
