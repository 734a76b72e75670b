import type { RequestKind } from '../journal.js';

/** Requests that receive a fault; an absent field matches all. */
export interface FaultMatch {
  kind?: RequestKind;
  /** `calendar.events.list`, `getMe` */
  methodId?: string;
  email?: string;
}

/**
 * Faults before the request runs: a response with any JSON body, a text, or the provider's body for `reason`; the
 * provider's 502 page; no response; RST before the first byte.
 */
type RefusingAction =
  | { type: 'status'; status: number; body?: unknown; reason?: string; headers?: Record<string, string> }
  | { type: 'html' | 'hang' | 'reset' };

/**
 * Faults after the request has run. `lose-response`: RST before the first byte; `truncate`: half of the announced body,
 * then the end of the connection; `garbage`: 200 with bytes that are no JSON; `huge`: white space of this size before
 * the response; `replace`: another body with the same status.
 */
type SpoilingAction =
  | { type: 'drip'; bytesPerSecond: number }
  | { type: 'huge'; bytes: number }
  | { type: 'replace'; body: unknown }
  | { type: 'reset-mid-body' | 'truncate' | 'garbage' | 'lose-response' };

/** `delay` sends the real response later. */
export type FaultAction = RefusingAction | SpoilingAction | { type: 'delay'; ms: number };

/** True when the fault changes the response itself, not its transmission. */
export function isInResponse({ type }: FaultAction): boolean {
  return type === 'status' || type === 'delay' || type === 'replace';
}

export interface Fault {
  match: FaultMatch;
  action: FaultAction;
  /** Number of affected requests; absent for all until the faults are cleared. */
  times?: number;
  /** Matching requests that pass first. */
  skip?: number;
}

/** Facts about a request before it runs. */
export interface FaultSubject {
  kind: RequestKind;
  methodId: string | null;
  user: string | null;
}
