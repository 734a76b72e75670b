import type { Event } from '@microsoft/microsoft-graph-types';
import type { ProviderBudget, ProviderSlots, SyncSnapshotStore } from '#domain';
import type { Egress } from '#egress';
import { ProviderRefusal } from '#providers/kit/calls';

/** Where Microsoft is, and how much is asked of it. */
export interface MicrosoftSettings {
  /** Roots of Graph and of the identity platform. */
  graphUrl: string;
  loginUrl: string;
  /** For one account. */
  requestsPerMinute: number;
  /** For all tries of one call together, milliseconds. */
  timeoutMs: number;
}

/** What the adapter is made with. */
export interface MicrosoftProviderDeps extends MicrosoftSettings {
  egress: Egress;
  budget: ProviderBudget;
  slots: ProviderSlots;
  /** What reads had given out when their sync tokens were issued. */
  snapshots: SyncSnapshotStore;
  nowMs(): number;
}

/** One request to Graph. */
export interface GraphCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/v1.0`, segments percent-encoded: `/me/calendars/AAMk%3D/events`. */
  path: string;
  /** `$top`, `startDateTime`, … not yet encoded. */
  query?: Readonly<Record<string, string>>;
  /** On top of what every call carries (immutable ids, UTC, text bodies). A preference in `prefer` wins over that one. */
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

/** Answer of one call of a batch. */
export interface GraphBatchAnswer {
  status: number;
  /** Parsed; null when there was none. */
  body: unknown;
}

/** An event of Graph as it arrives: any field may be missing or of another type. */
export type GraphEvent = Event & { '@odata.etag'?: string };

/** What Graph answered instead of a result; `code` is the most specific one of its error body. */
export class GraphFault extends ProviderRefusal {
  override readonly name = 'GraphFault';

  constructor(status: number, code: string | null, detail: string, retryAfterMs: number | null) {
    super('Graph', status, code, detail, retryAfterMs);
  }
}
