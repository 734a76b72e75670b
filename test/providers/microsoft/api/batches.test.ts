import { ProviderConcurrencyLimiter, WHOLE_CALENDAR } from '#domain/providers';
import { openOutlook, type OpenedOutlook } from '../adapter/opened-outlook-calendar.js';

/** As the database's slots are, in this process: first come, first served. */
class TurnSlots extends ProviderConcurrencyLimiter {
  private readonly waiting: (() => void)[] = [];
  private held = 0;

  override async withPermit<T>(
    _scope: object,
    limit: number,
    _signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    if (this.held >= limit) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.held += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.held -= 1;
      else next();
    }
  }
}

const JUNE = { startMs: Date.UTC(2027, 5, 1), endMs: Date.UTC(2027, 6, 1) };

describe('reads in batches', () => {
  let o: OpenedOutlook;

  beforeAll(async () => {
    o = await openOutlook(new TurnSlots());
  });

  afterAll(() => o.close());

  it('F24 never ask a mailbox for more than it serves at a time', async () => {
    const calendarId = await o.newCalendar('Batcher');
    for (let number = 0; number < 6; number += 1) {
      await o.provider.createEvent(
        o.session,
        calendarId,
        { title: `Series ${number}`, start: { kind: 'date', date: '2027-06-01' }, recurrence: ['FREQ=DAILY;COUNT=3'] },
        {},
      );
    }
    await o.microsoft.fault({ kind: 'api' }, { type: 'delay', ms: 10 });
    const lists = await Promise.all(
      Array.from({ length: 40 }, () => o.list(calendarId, { ...WHOLE_CALENDAR, window: JUNE })),
    );
    expect(lists.map(({ items }) => items.length)).toEqual(Array(40).fill(6));
    const rejected = (await o.microsoft.requests()).filter(({ status }) => status === 429);
    expect(rejected).toEqual([]);
  });
});
