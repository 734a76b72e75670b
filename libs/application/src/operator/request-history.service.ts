import { Injectable } from '@nestjs/common';
import { invalid, RequestHistoryRepository, type RecordedRequest, type RequestFilter } from '#domain/system';
import { readInstant } from '../events/event-query.js';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { readPageBy, type PageOf, type PageRequest } from '../webhooks/endpoint-pages.js';

export interface ListRequests extends PageRequest {
  requestId?: string;
  applicationId?: string;
  accountId?: string;
  /** `404`, or a class: `4xx`. */
  status?: string;
  /** ISO 8601; UTC without an offset. */
  from?: string;
  to?: string;
}

@Injectable()
export class RequestHistoryService {
  constructor(
    private readonly log: RequestHistoryRepository,
    private readonly tokens: SealedTokens,
  ) {}

  /** Newest first. @throws DomainError ValidationFailed, PageTokenInvalid */
  async search({ limit, pageToken, ...request }: ListRequests): Promise<PageOf<RecordedRequest>> {
    const { requestId = '', applicationId = '', accountId = '', status = '', from = '', to = '' } = request;
    const filter = toFilter(request);
    return readPageBy(
      ({ startedAt, id }: RecordedRequest) => ({ startedAt: startedAt.toISOString(), id }),
      this.tokens,
      ['requests', requestId, applicationId, accountId, status, from, to],
      { limit, pageToken },
      ({ limit, after }) =>
        this.log.search(filter, { limit, after: after && { id: after.id, startedAt: new Date(after.startedAt) } }),
    );
  }
}

function toFilter({ requestId, applicationId, accountId, status, from, to }: ListRequests): RequestFilter {
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
