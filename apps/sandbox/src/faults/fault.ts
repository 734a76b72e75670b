import type { RequestKind } from '../journal.js';

/** Which requests a fault is for; what is not given matches all. */
export interface FaultMatch {
  kind?: RequestKind;
  /** `calendar.events.list`, `getMe` */
  methodId?: string;
  email?: string;
}

/**
 * Instead of the request being carried out: an answer with a body of any JSON, a text, or what the provider sends for
 * `reason`; the provider's 502 page; no answer, ever; RST before the first byte.
 */
type RefusingAction =
  | { type: 'status'; status: number; body?: unknown; reason?: string; headers?: Record<string, string> }
  | { type: 'html' | 'hang' | 'reset' };

/**
 * After the request was carried out. `lose-answer`: RST before the first byte; `truncate`: half of the announced body,
 * then the end of the connection; `garbage`: 200 and bytes that are no JSON; `huge`: the good answer behind so many
 * bytes of white space; `replace`: another body under the good answer's status.
 */
type SpoilingAction =
  | { type: 'drip'; bytesPerSecond: number }
  | { type: 'huge'; bytes: number }
  | { type: 'replace'; body: unknown }
  | { type: 'reset-mid-body' | 'truncate' | 'garbage' | 'lose-answer' };

/** What happens instead of a good answer; `delay`: the good answer, later. */
export type FaultAction = RefusingAction | SpoilingAction | { type: 'delay'; ms: number };

/** Whether it changes the answer only, not how that arrives. */
export function isInAnswer({ type }: FaultAction): boolean {
  return type === 'status' || type === 'delay' || type === 'replace';
}

export interface Fault {
  match: FaultMatch;
  action: FaultAction;
  /** Requests that get it; absent: all until the faults are cleared. */
  times?: number;
  /** Matching requests that are let through before. */
  skip?: number;
}

/** What a request is known to be about before it is carried out. */
export interface FaultSubject {
  kind: RequestKind;
  methodId: string | null;
  user: string | null;
}
