import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface NotificationBehaviour {
  mode: 'deliver' | 'drop' | 'duplicate';
  /** `drop` and `duplicate` apply to every nth message. */
  everyNth: number;
  delayMs: number;
}

const USUAL: NotificationBehaviour = { mode: 'deliver', everyNth: 1, delayMs: 0 };
const BACKOFF_MS = [1_000, 2_000, 4_000, 8_000, 16_000];
const TIMEOUT_MS = 20_000;

/** Sends a provider's notifications, with retries. */
export class Messages {
  #behaviour = USUAL;
  #count = 0;
  #abort = new AbortController();

  constructor(
    private readonly fetch: typeof globalThis.fetch,
    /** True for statuses that cause a retry. */
    private readonly isRetried: (status: number) => boolean,
    private readonly backoffMs: readonly number[] = BACKOFF_MS,
  ) {}

  behave(behaviour: NotificationBehaviour): void {
    this.#behaviour = behaviour;
    this.#count = 0;
  }

  /** Neither throws nor waits. */
  send(message: Message): void {
    const { mode, everyNth, delayMs } = this.#behaviour;
    this.#count += 1;
    const copies = mode === 'deliver' || this.#count % everyNth !== 0 ? 1 : mode === 'drop' ? 0 : 2;
    const { signal } = this.#abort;
    for (let copy = 0; copy < copies; copy += 1) void this.#deliver(message, delayMs, signal);
  }

  /** Drops pending messages and delivers all later ones. */
  reset(): void {
    this.close();
    this.#abort = new AbortController();
    this.behave(USUAL);
  }

  close(): void {
    this.#abort.abort();
  }

  async #deliver(message: Message, delayMs: number, signal: AbortSignal): Promise<void> {
    try {
      if (delayMs > 0) await delay(delayMs, undefined, { signal, ref: false });
      for (const waitMs of [...this.backoffMs, null]) {
        const status = await this.#post(message, signal);
        if ((status !== null && !this.isRetried(status)) || waitMs === null) return;
        await delay(waitMs, undefined, { signal, ref: false });
      }
    } catch (error) {
      if (signal.aborted) return;
      process.stderr.write(`notification to ${message.url}: ${(error as Error).message}\n`);
    }
  }

  /** @returns null for an unreachable receiver */
  async #post({ url, headers: given, body }: Message, signal: AbortSignal): Promise<number | null> {
    if (!isReceiver(url)) throw new Error('The address is not allowed');
    // `fetch` sets the length itself.
    const { 'content-length': _, ...headers } = given;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const response = await this.fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: limited });
      await response.body?.cancel();
      return response.status;
    } catch (error) {
      if (isUnreachable(error)) return null;
      throw error;
    }
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** True for addresses of a tested service: on this machine, or a host name with https. */
export function isReceiver(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return LOOPBACK.test(hostname) || (protocol === 'https:' && isIP(hostname.replace(/[[\]]/g, '')) === 0);
}

/** Errors of `fetch` without a connection, or without a response in time. */
export function isUnreachable(error: unknown): boolean {
  return ['TypeError', 'TimeoutError'].includes((error as Error).name);
}
