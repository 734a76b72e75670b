import type { AccountSession } from '#domain';
import { Egress, EgressError, type EgressFailure, type OutboundAnswer, type OutboundRequest } from '#egress';
import { CalendarCache } from '../../libs/providers/google/calendar-cache.js';
import { CallPolicy, type CallPolicyOptions } from '../../libs/providers/google/call-policy.js';
import { AccountConnection, type ConnectionDeps } from '../../libs/providers/google/connection.js';
import { googleEndpoints } from '../../libs/providers/google/endpoints.js';
import { UnlimitedBudget } from '../support/memory-stores.js';

export const ROOT = 'https://google.example';

/** What is answered: JSON, text, bytes; or how the exchange fails. */
export type Scripted =
  EgressFailure | { status?: number; headers?: Record<string, string>; json?: unknown; text?: string };

/** An egress that answers each `METHOD /path` (without query) with its answers one after the other, the last one for good. */
export class ScriptedEgress extends Egress {
  readonly requests: OutboundRequest[] = [];
  readonly #routes = new Map<string, Scripted[]>();

  on(route: string, ...answers: [Scripted, ...Scripted[]]): this {
    this.#routes.set(route, answers);
    return this;
  }

  override async request(request: OutboundRequest): Promise<OutboundAnswer> {
    this.requests.push(request);
    const route = `${request.method} ${new URL(request.url).pathname}`;
    const answers = this.#routes.get(route);
    if (answers === undefined) throw new Error(`Nothing is scripted for ${route}`);
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    if (typeof answer === 'string') throw new EgressError(answer);
    const { status = 200, headers = {}, json, text } = answer;
    return { status, headers, body: Buffer.from(text ?? (json === undefined ? '' : JSON.stringify(json))) };
  }

  /** `METHOD path?query` of what was sent. */
  get lines(): string[] {
    return this.requests.map(({ method, url }) => `${method} ${url.replace(ROOT, '')}`);
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

/** Google's error body with one reason. */
export function refusal(
  status: number,
  reason: string,
  message = reason,
  headers: Record<string, string> = {},
): Scripted {
  return {
    status,
    headers,
    json: { error: { code: status, message, errors: [{ domain: 'global', reason, message }] } },
  };
}

export const SECRET = 'ya29.canary-of-the-access-token';

export function sessionOf(overrides: Partial<AccountSession> = {}): AccountSession {
  return {
    applicationId: 'application',
    accountId: 'account',
    email: 'mara.field@example.com',
    serverUrl: null,
    credentials: { kind: 'oauth', clientId: 'client', accessToken: SECRET, refreshToken: '1//canary', expiresAt: null },
    providerState: null,
    signal: new AbortController().signal,
    saveProviderState: () => Promise.resolve(),
    ...overrides,
  };
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

export interface Bench {
  connection: AccountConnection;
  egress: ScriptedEgress;
  budget: UnlimitedBudget;
  clock: RunningClock;
  deps: ConnectionDeps;
}

/** A connection over a scripted egress, with a clock of its own. */
export function connectionOver(egress: ScriptedEgress, session: AccountSession = sessionOf()): Bench {
  const clock = new RunningClock();
  const budget = new UnlimitedBudget();
  const deps: ConnectionDeps = {
    egress,
    budget,
    endpoints: googleEndpoints({ apiUrl: ROOT, oauthUrl: ROOT, tokenUrl: ROOT }),
    policy: new CallPolicy({ timeoutMs: 10_000, ...clock.policy }),
    calendars: new CalendarCache(() => clock.nowMs),
    requestsPerMinute: 600,
    nowMs: () => Date.UTC(2026, 10, 21),
  };
  return { connection: new AccountConnection(deps, session), egress, budget, clock, deps };
}
