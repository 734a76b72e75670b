import type { ProviderType } from '../accounts/account.js';

/** A request that was answered: metadata alone. */
export interface AnsweredRequest {
  /** `x-request-id` */
  requestId: string;
  startedAt: Date;
  method: string;
  /** The path of the route with the names of its parameters: neither ids nor a query. */
  route: string;
  status: number;
  /** Of the error envelope. */
  errorCode: string | null;
  durationMs: number;
  /** Proven by its key. */
  applicationId: string | null;
  apiKeyId: string | null;
  /** As its path says, which can say anything. */
  accountId: string | null;
}

/** As it was recorded: an account is one that its application has, or had. */
export interface RecordedRequest extends AnsweredRequest {
  id: string;
  /** Of the account. */
  providerType: ProviderType | null;
}

/** null: whatever it is. */
export interface RequestFilter {
  requestId: string | null;
  /** UUID */
  applicationId: string | null;
  /** UUID */
  accountId: string | null;
  /** Both ends count. */
  status: { from: number; to: number } | null;
  /** Started then or later. */
  from: Date | null;
  /** Started before. */
  to: Date | null;
}

export abstract class RequestLogRepository {
  abstract add(requests: readonly AnsweredRequest[]): Promise<void>;
  /** Newest first. @param page `after`: the last one of the page before */
  abstract search(
    filter: RequestFilter,
    page: { limit: number; after: Pick<RecordedRequest, 'startedAt' | 'id'> | null },
  ): Promise<RecordedRequest[]>;
}
