import { describe, expect, it } from '@jest/globals';
import { RequestHistoryRepository, type RecordedRequest, type RequestFilter } from '#domain/system';
import { SealedTokens, SealingKeys } from '../tokens/sealed-tokens.js';
import { RequestHistoryService } from './request-history.service.js';

class OneKey extends SealingKeys {
  override current() {
    return { kid: 'k', key: Buffer.alloc(32, 7) };
  }

  override byId() {
    return Buffer.alloc(32, 7);
  }
}

class ScriptedLog extends RequestHistoryRepository {
  readonly asked: { filter: RequestFilter; page: Parameters<RequestHistoryRepository['search']>[1] }[] = [];

  override async add(): Promise<void> {}

  override async search(filter: RequestFilter, page: Parameters<RequestHistoryRepository['search']>[1]) {
    this.asked.push({ filter, page });
    return Array.from({ length: page.limit }, (_, n) => row(n));
  }
}

const row = (n: number): RecordedRequest => ({
  id: `id-${n}`,
  requestId: `r-${n}`,
  startedAt: new Date(1_000 * n),
  method: 'GET',
  route: '/v1/x',
  status: 200,
  errorCode: null,
  durationMs: n,
  applicationId: null,
  apiKeyId: null,
  accountId: null,
  traceId: null,
  providerType: null,
});

function search() {
  const log = new ScriptedLog();
  return { log, requests: new RequestHistoryService(log, new SealedTokens(new OneKey())) };
}

const ANY: RequestFilter = {
  requestId: null,
  applicationId: null,
  accountId: null,
  status: null,
  from: null,
  to: null,
};

describe('RequestHistoryService', () => {
  it('asks for anything when nothing is named', async () => {
    const { log, requests } = search();
    await requests.search({});
    expect(log.asked).toEqual([{ filter: ANY, page: { limit: 51, after: null } }]);
  });

  it.each([
    ['404', { from: 404, to: 404 }],
    ['5xx', { from: 500, to: 599 }],
    ['2xx', { from: 200, to: 299 }],
  ])('takes a status or a class of them: %s', async (status, expected) => {
    const { log, requests } = search();
    await requests.search({ status });
    expect(log.asked[0]?.filter).toEqual({ ...ANY, status: expected });
  });

  it.each(['1xx', '99', '600', '4XX', '4x', '4xx ', '', '404 or 1=1'])('refuses %p as a status', async (status) => {
    await expect(search().requests.search({ status })).rejects.toMatchObject({ code: 'ValidationFailed' });
  });

  it('reads times with and without an offset, and refuses what is none', async () => {
    const { log, requests } = search();
    await requests.search({ from: '2026-11-21T10:00:00+01:00', to: '2026-11-21T10:00:00' });
    expect(log.asked[0]?.filter).toEqual({
      ...ANY,
      from: new Date('2026-11-21T09:00:00Z'),
      to: new Date('2026-11-21T10:00:00Z'),
    });
    await expect(requests.search({ from: 'yesterday' })).rejects.toMatchObject({ code: 'ValidationFailed' });
    await expect(requests.search({ limit: 0 })).rejects.toMatchObject({ code: 'ValidationFailed' });
  });

  it('goes on where the page before ended, with the same filters only', async () => {
    const { log, requests } = search();
    const { data, nextPageToken } = await requests.search({ limit: 2, status: '200' });
    expect(data).toEqual([row(0), row(1)]);
    const pageToken = nextPageToken as string;
    await requests.search({ limit: 2, status: '200', pageToken });
    expect(log.asked[1]?.page).toEqual({ limit: 3, after: { id: 'id-1', startedAt: new Date(1_000) } });
    await expect(requests.search({ limit: 2, status: '2xx', pageToken })).rejects.toMatchObject({
      code: 'PageTokenInvalid',
    });
  });
});
