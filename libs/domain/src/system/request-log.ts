import type { ProviderType } from '../accounts/account.js';

export interface CompletedRequest {
  requestId: string;
  startedAt: Date;
  method: string;
  /** Route template, without ids or a query. */
  route: string;
  status: number;
  errorCode: string | null;
  durationMs: number;
  applicationId: string | null;
  apiKeyId: string | null;
  /** From the path: unverified. */
  accountId: string | null;
  /** 32 hexadecimal digits. null when its trace is not exported. */
  traceId: string | null;
}

/** As stored. `accountId` is an account that the application has or had. */
export interface RecordedRequest extends CompletedRequest {
  id: string;
  providerType: ProviderType | null;
}

/** null leaves a field unfiltered. */
export interface RequestFilter {
  requestId: string | null;
  applicationId: string | null;
  accountId: string | null;
  /** Both bounds are inclusive. */
  status: { from: number; to: number } | null;
  /** Inclusive start time. */
  from: Date | null;
  /** Exclusive start time. */
  to: Date | null;
}

export abstract class RequestHistoryRepository {
  abstract add(requests: readonly CompletedRequest[]): Promise<void>;
  abstract search(
    filter: RequestFilter,
    page: { limit: number; after: Pick<RecordedRequest, 'startedAt' | 'id'> | null },
  ): Promise<RecordedRequest[]>;
}
