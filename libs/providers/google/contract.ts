import type { ProviderBudget, SyncSnapshotStore } from '#domain';
import type { Egress } from '#egress';
import { ProviderRefusal } from '#providers/kit/calls';

/** Where Google is, and how much is asked of it. */
export interface GoogleSettings {
  /** Roots of the Calendar API, of the sign-in pages and of the token endpoints. */
  apiUrl: string;
  oauthUrl: string;
  tokenUrl: string;
  /** For one account. */
  requestsPerMinute: number;
  /** For all tries of one call together, milliseconds. */
  timeoutMs: number;
}

/** What the adapter is made with. */
export interface GoogleProviderDeps extends GoogleSettings {
  egress: Egress;
  budget: ProviderBudget;
  /** What reads of a window, or with filters, had given out when their sync tokens were issued. */
  snapshots: SyncSnapshotStore;
  nowMs(): number;
}

/** What Google answered instead of a result; `code` is the `reason` of its error body. */
export class GoogleFault extends ProviderRefusal {
  override readonly name = 'GoogleFault';

  constructor(status: number, reason: string | null, detail: string, retryAfterMs: number | null) {
    super('Google', status, reason, detail, retryAfterMs);
  }
}
