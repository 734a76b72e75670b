import { PageSize } from '#providers/kit/sync';
import { transportFailure } from '#providers/kit/calls';
import { EgressError } from '#egress';
import { MAX_GRAPH_PAGE, type GraphAccountClient } from '../account-client.js';
import { GraphApiError } from '../errors.js';
import { walk, type OutlookCalendarHandle } from './open-calendar.js';

/** A calendar whose links lead to these answers, one after the other. */
function calendarWith(...behind: unknown[]): OutlookCalendarHandle {
  const connection: Partial<GraphAccountClient> = {
    pageSize: new PageSize(MAX_GRAPH_PAGE),
    stateOf: (link) => link,
    follow: async () => {
      const next = behind.shift();
      if (next instanceof Error) throw next;
      return next;
    },
  };
  return { connection } as OutlookCalendarHandle;
}

const first = async () => ({ value: [1], '@odata.nextLink': 'more' });
const last = { value: [2], '@odata.deltaLink': 'changes' };
const rejected = (status: number) => new GraphApiError(status, 'SyncStateNotFound', '', null);

describe('walk (microsoft)', () => {
  it('reads to the end', async () => {
    expect(await walk(calendarWith(last), first)).toEqual({ rows: [1, 2], delta: 'changes' });
  });

  it.each([400, 410])('F33 begins again when a link between pages is refused with %d', async (status) => {
    expect(await walk(calendarWith(rejected(status), last), first)).toEqual({ rows: [1, 2], delta: 'changes' });
  });

  it('F33 ends with links that never lead anywhere: that is no fault of the caller', async () => {
    const work = walk(calendarWith(rejected(410), rejected(410), last), first);
    await expect(work).rejects.toMatchObject({ code: 'ProviderUnavailable' });
  });

  it('passes on what is refused at the beginning, and every other failure', async () => {
    await expect(walk(calendarWith(), () => Promise.reject(rejected(410)))).rejects.toMatchObject({ status: 410 });
    await expect(walk(calendarWith(rejected(503)), first)).rejects.toMatchObject({ status: 503 });
  });

  it('reads smaller pages when one is too large, for good', async () => {
    const tooLarge = transportFailure('Microsoft', new EgressError('too-large', { rule: 'size' }));
    const asked: number[] = [];
    const page = (limit: number) => async (size: number) => {
      asked.push(size);
      if (size > limit) throw tooLarge;
      return first();
    };
    const calendar = calendarWith(tooLarge, last, last);
    expect(await walk(calendar, page(200))).toEqual({ rows: [1, 2], delta: 'changes' });
    expect(await walk(calendar, page(200))).toEqual({ rows: [1, 2], delta: 'changes' });
    expect(asked).toEqual([1_000, 200, 40, 40]);
    await expect(walk(calendar, page(0))).rejects.toBe(tooLarge);
    expect(asked.slice(4)).toEqual([40, 8, 2, 1]);
  });

  it('ends when small pages are too large together', async () => {
    const tooLarge = transportFailure('Microsoft', new EgressError('too-large', { rule: 'size' }));
    const large = { body: { content: 'x'.repeat(33 * 1024 * 1024) } };
    const pages = () => [
      { value: [large], '@odata.nextLink': 'more' },
      { value: [large], '@odata.deltaLink': 'changes' },
    ];
    const whole = await walk(calendarWith(...pages()), first);
    expect(whole.rows).toHaveLength(3);
    const work = walk(calendarWith(...pages()), async (size) => {
      if (size === MAX_GRAPH_PAGE) throw tooLarge;
      return first();
    });
    await expect(work).rejects.toMatchObject({ code: 'ValidationFailed', details: [{ path: 'endDateTime' }] });
  });

  it('measures rows that are nested without end', async () => {
    const tooLarge = transportFailure('Microsoft', new EgressError('too-large', { rule: 'size' }));
    const nested = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
    const work = walk(calendarWith({ value: [nested] }), async (size) => {
      if (size === MAX_GRAPH_PAGE) throw tooLarge;
      return first();
    });
    expect((await work).rows).toHaveLength(2);
  });
});
