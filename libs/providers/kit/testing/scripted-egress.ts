import { Egress, EgressError, type EgressFailure, type OutboundResponse, type OutboundRequest } from '#egress';
import type { CallPolicyOptions } from '#providers/kit/calls';

/** What is answered: JSON, text, bytes; or how the exchange fails. */
export type Scripted =
  EgressFailure | { status?: number; headers?: Record<string, string>; json?: unknown; text?: string };

/** An egress that answers each `METHOD /path` (without query) with its answers one after the other, the last one for good. */
export class ScriptedEgress extends Egress {
  readonly requests: OutboundRequest[] = [];
  readonly #routes = new Map<string, Scripted[]>();

  on(route: string, ...responses: [Scripted, ...Scripted[]]): this {
    this.#routes.set(route, responses);
    return this;
  }

  override async request(request: OutboundRequest): Promise<OutboundResponse> {
    this.requests.push(request);
    const route = `${request.method} ${new URL(request.url).pathname}`;
    const responses = this.#routes.get(route);
    if (responses === undefined) throw new Error(`Nothing is scripted for ${route}`);
    const response = responses.length > 1 ? responses.shift()! : responses[0]!;
    if (typeof response === 'string') throw new EgressError(response);
    const { status = 200, headers = {}, json, text } = response;
    return { status, headers, body: Buffer.from(text ?? (json === undefined ? '' : JSON.stringify(json))) };
  }

  /** `METHOD path?query` of what was sent. */
  get lines(): string[] {
    return this.requests.map(({ method, url }) => `${method} ${url.replace(/^https?:\/\/[^/]+/, '')}`);
  }

  /** Parsed JSON bodies of what was sent; null for none. */
  get bodies(): unknown[] {
    return this.requests.map(({ body }) => (body === undefined ? null : JSON.parse(String(body))));
  }

  override stream(): never {
    throw new Error('Nothing is streamed');
  }

  override check(): Promise<void> {
    return Promise.resolve();
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Time that only waits make pass: what waits is over at once, and later. */
export class RunningClock {
  nowMs = 1_000_000;
  readonly waits: number[] = [];

  readonly policy: Pick<CallPolicyOptions, 'monotonicMs' | 'random' | 'pause'> = {
    monotonicMs: () => this.nowMs,
    random: () => 1,
    pause: async (ms) => {
      this.waits.push(ms);
      this.nowMs += ms;
    },
  };
}
