import { Injectable } from '@nestjs/common';
import {
  invalid,
  RequestLogRepository,
  type JsonValue,
  type ProviderType,
  type RecordedRequest,
  type RequestFilter,
} from '#domain';
import { readInstant } from '../events/event-query.js';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { pageSizeOf, type PageOf, type PageRequest } from '../webhooks/endpoint-pages.js';

export interface SearchRequests extends PageRequest {
  requestId?: string;
  applicationId?: string;
  accountId?: string;
  /** `404`, or a class: `4xx`. */
  status?: string;
  /** ISO 8601; UTC without an offset. */
  from?: string;
  to?: string;
}

export interface RecordedRequestView {
  requestId: string;
  at: string;
  method: string;
  route: string;
  status: number;
  errorCode: string | null;
  durationMs: number;
  applicationId: string | null;
  apiKeyId: string | null;
  accountId: string | null;
  providerType: ProviderType | null;
}

/** What was asked of this installation. */
@Injectable()
export class RequestSearch {
  constructor(
    private readonly log: RequestLogRepository,
    private readonly tokens: SealedTokens,
  ) {}

  /** Newest first. @throws DomainError ValidationFailed, PageTokenInvalid */
  async search({ limit, pageToken, ...request }: SearchRequests): Promise<PageOf<RecordedRequestView>> {
    const size = pageSizeOf(limit);
    const { requestId = '', applicationId = '', accountId = '', status = '', from = '', to = '' } = request;
    const binding = ['requests', requestId, applicationId, accountId, status, from, to];
    const after = pageToken === undefined ? null : toKeyset(this.tokens.open(binding, pageToken));
    const rows = await this.log.search(toFilter(request), { limit: size + 1, after });
    const page = rows.slice(0, size);
    const last = page.at(-1);
    return {
      data: page.map(toView),
      nextPageToken:
        rows.length > size && last !== undefined
          ? this.tokens.seal(binding, { startedAt: last.startedAt.toISOString(), id: last.id })
          : null,
    };
  }
}

function toKeyset(content: JsonValue): Pick<RecordedRequest, 'startedAt' | 'id'> {
  const { startedAt, id } = content as { startedAt: string; id: string };
  return { startedAt: new Date(startedAt), id };
}

function toFilter({ requestId, applicationId, accountId, status, from, to }: SearchRequests): RequestFilter {
  return {
    requestId: requestId ?? null,
    applicationId: applicationId ?? null,
    accountId: accountId ?? null,
    status: status === undefined ? null : statusesOf(status),
    from: from === undefined ? null : new Date(readInstant('from', from, null)),
    to: to === undefined ? null : new Date(readInstant('to', to, null)),
  };
}

function statusesOf(text: string): { from: number; to: number } {
  const [, first, rest] = /^([2-5])(xx|\d\d)$/.exec(text) ?? [];
  if (first === undefined) throw invalid('status', 'must be a status such as 404, or a class of them such as 4xx');
  const hundred = Number(first) * 100;
  return rest === 'xx' ? { from: hundred, to: hundred + 99 } : { from: Number(text), to: Number(text) };
}

function toView({ id: _, startedAt, ...request }: RecordedRequest): RecordedRequestView {
  return { ...request, at: startedAt.toISOString() };
}
