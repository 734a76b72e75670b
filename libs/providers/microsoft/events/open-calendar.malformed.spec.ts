import type { GraphAccountClient } from '../account-client.js';
import type { GraphBatchResponse } from '../graph-batch.js';
import { fetchSeries, readPage, type OutlookCalendarHandle } from './open-calendar.js';
import { WholeReads } from './whole-reads.js';

const calendar = (responses: GraphBatchResponse[] = []) =>
  ({
    id: 'AAMk=',
    timeZone: 'UTC',
    connection: {
      wholeReads: new WholeReads(),
      batch: async () => responses,
      stateOf: (link: string) => link.slice('https://graph.example/v1.0'.length),
    } as unknown as GraphAccountClient,
  }) as OutlookCalendarHandle;
const malformedResponse = expect.objectContaining({ code: 'ProviderUnavailable' });

describe('N51 nonsense in an answer does not read as if something were gone:', () => {
  it.each([null, 'x', 7, [], {}, { value: null }, { value: 'x' }, { value: {} }])('%j is no page', (response) => {
    expect(() => readPage(calendar(), response)).toThrow(malformedResponse);
  });

  it.each([7, true, {}, []])('%j is no end of a list', (link) => {
    expect(() => readPage(calendar(), { value: [], '@odata.nextLink': link })).toThrow(malformedResponse);
    expect(() => readPage(calendar(), { value: [], '@odata.deltaLink': link })).toThrow(malformedResponse);
    expect(readPage(calendar(), { value: [1], '@odata.nextLink': null })).toEqual({
      rows: [1],
      next: null,
      delta: null,
    });
  });

  it.each([null, 'x', {}, { id: '' }, { id: 7 }])(
    '%j in a batch is no series, nor one that was deleted',
    async (body) => {
      const responses = [{ status: 200, body }];
      await expect(fetchSeries(calendar(responses), ['AAMkS='])).rejects.toEqual(malformedResponse);
    },
  );

  it('and what is gone is gone', async () => {
    const gone = { status: 404, body: { error: { code: 'ErrorItemNotFound' } } };
    expect(await fetchSeries(calendar([gone]), ['AAMkS='])).toEqual(new Map());
  });
});
