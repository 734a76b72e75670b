import { createClient, type UnifiedCalendarClient } from './client.js';
import { SyncTokenExpired } from './errors.js';
import { isRemoved, type CalendarEvent } from './events.js';
import type { EventStore } from './sync-into.js';

const CALENDAR = { endUserAccountId: 'a', calendarId: 'c' };

interface Scripted {
  client: UnifiedCalendarClient;
  /** Queries, in their order. */
  asked: string[];
}

/** A client that is answered by what is left of a list; `null` stands for a sync token that is too old. */
function scripted(...answers: (object | null)[]): Scripted {
  const asked: string[] = [];
  const client = createClient({
    baseUrl: 'https://calendar.test',
    apiKey: 'k',
    fetch: async (url) => {
      asked.push(new URL(url).search);
      const answer = answers.shift();
      if (answer === undefined) throw new Error('nobody expected another request');
      if (answer !== null) return Response.json(answer);
      const code = 'SyncTokenExpired';
      return Response.json({ error: code, code, message: 'Too old.', requestId: 'r' }, { status: 410 });
    },
  });
  return { client, asked };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const event = (id: string) => ({ id, start: {} });

describe('listAll', () => {
  it('reads every page, empty ones and short ones too', async () => {
    const { client, asked } = scripted(
      { data: [event('1'), event('2')], nextPageToken: 'p2' },
      { data: [], nextPageToken: 'p3' },
      { data: [event('3')], nextSyncToken: 's' },
    );
    const found = await all(client.events.listAll({ ...CALENDAR, pageSize: 2 }));
    expect(found.map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(asked).toEqual(['?pageSize=2', '?pageSize=2&pageToken=p2', '?pageSize=2&pageToken=p3']);
  });

  it('asks for no page that nobody wants', async () => {
    const { client, asked } = scripted({ data: [event('1')], nextPageToken: 'p2' });
    for await (const { id } of client.events.listAll(CALENDAR)) if (id === '1') break;
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['endUserAccounts.pages', (client: UnifiedCalendarClient) => client.endUserAccounts.pages()],
    ['endUserAccounts.listAll', (client: UnifiedCalendarClient) => client.endUserAccounts.listAll()],
    ['calendars.pages', (client: UnifiedCalendarClient) => client.calendars.pages(CALENDAR)],
    ['calendars.listAll', (client: UnifiedCalendarClient) => client.calendars.listAll(CALENDAR)],
    ['events.pages', (client: UnifiedCalendarClient) => client.events.pages(CALENDAR)],
    [
      'events.allOccurrences',
      (client: UnifiedCalendarClient) =>
        client.events.allOccurrences({ ...CALENDAR, eventId: 'e', startDateTime: '', endDateTime: '' }),
    ],
    [
      'calendarSubscriptions.listAll',
      (client: UnifiedCalendarClient) => client.calendarSubscriptions.listAll(CALENDAR),
    ],
    ['webhookEndpoints.listAll', (client: UnifiedCalendarClient) => client.webhookEndpoints.listAll()],
    [
      'webhookEndpoints.allMessages',
      (client: UnifiedCalendarClient) => client.webhookEndpoints.allMessages({ endpointId: 'w' }),
    ],
  ])('%s reads on where the page before ended', async (_name, read) => {
    const { client, asked } = scripted(
      { data: [event('1')], nextPageToken: 'p2' },
      { data: [event('2')], nextPageToken: null },
    );
    expect(await all<unknown>(read(client))).toHaveLength(2);
    expect(new URLSearchParams(asked[1]).get('pageToken')).toBe('p2');
  });
});

describe('sync', () => {
  const window = { startDateTime: '2033-01-01T00:00:00Z', endDateTime: '2034-01-01T00:00:00Z' };
  const windowed = '?startDateTime=2033-01-01T00%3A00%3A00Z&endDateTime=2034-01-01T00%3A00%3A00Z';

  it('reads everything, then says where to go on', async () => {
    const { client, asked } = scripted(
      { data: [event('1')], nextPageToken: 'p2' },
      { data: [event('2')], nextSyncToken: 's1' },
    );
    const sync = client.events.sync({ ...CALENDAR, ...window });
    expect(() => sync.nextSyncToken).toThrow('before everything was read');
    expect((await all(sync)).map(({ id }) => id)).toEqual(['1', '2']);
    expect([sync.nextSyncToken, sync.hasStartedOver]).toEqual(['s1', false]);
    expect(asked).toEqual([windowed, `${windowed}&pageToken=p2`]);
  });

  it('with a token asks for nothing that it stands for already', async () => {
    const { client, asked } = scripted(
      { data: [event('1'), { id: '2', isCancelled: true }], nextPageToken: 'p2' },
      { data: [], nextSyncToken: 's2' },
    );
    const sync = client.events.sync({ ...CALENDAR, ...window, timeZone: 'UTC', pageSize: 5, syncToken: 's1' });
    expect((await all(sync)).map((change) => [change.id, isRemoved(change)])).toEqual([
      ['1', false],
      ['2', true],
    ]);
    expect(sync.nextSyncToken).toBe('s2');
    expect(asked).toEqual([
      '?pageSize=5&timeZone=UTC&syncToken=s1',
      '?pageSize=5&timeZone=UTC&syncToken=s1&pageToken=p2',
    ]);
  });

  it('throws when the token is too old', async () => {
    const { client } = scripted(null);
    await expect(all(client.events.sync({ ...CALENDAR, syncToken: 's1' }))).rejects.toBeInstanceOf(SyncTokenExpired);
  });

  it('starts over when it may, also in the middle, and says so', async () => {
    const { client, asked } = scripted({ data: [event('1')], nextPageToken: 'p2' }, null, {
      data: [event('1'), event('2')],
      nextSyncToken: 's9',
    });
    const sync = client.events.sync({ ...CALENDAR, ...window, syncToken: 's1' }, { startOver: true });
    expect((await all(sync)).map(({ id }) => id)).toEqual(['1', '1', '2']);
    expect([sync.nextSyncToken, sync.hasStartedOver]).toEqual(['s9', true]);
    expect(asked).toEqual(['?syncToken=s1', '?syncToken=s1&pageToken=p2', windowed]);
  });

  it('has no next token where the service gives none', async () => {
    const { client } = scripted({ data: [] });
    const sync = client.events.sync(CALENDAR);
    await all(sync);
    expect(sync.nextSyncToken).toBeNull();
  });

  it('of calendars works alike', async () => {
    const { client, asked } = scripted({ data: [{ id: 'c', isDeleted: true }], nextSyncToken: 's2' });
    const sync = client.calendars.sync({ endUserAccountId: 'a', syncToken: 's1' });
    expect(await all(sync)).toEqual([{ id: 'c', isDeleted: true }]);
    expect([sync.nextSyncToken, asked]).toEqual(['s2', ['?syncToken=s1']]);
  });
});

/** A copy in memory that writes down what is done to it. */
class Copy implements EventStore {
  readonly titles = new Map<string, string>();
  saved: (string | null)[] = [];
  fails = false;

  syncToken(): string | null | undefined {
    return this.saved.at(-1);
  }
  upsert({ id, title }: CalendarEvent): void {
    if (this.fails) throw new Error('the disk is full');
    this.titles.set(id, title);
  }
  async delete(eventId: string): Promise<void> {
    this.titles.delete(eventId);
  }
  ids(): Iterable<string> {
    return this.titles.keys();
  }
  saveSyncToken(syncToken: string | null): void {
    this.saved.push(syncToken);
  }
}

describe('syncInto', () => {
  const titled = (id: string, title: string) => ({ ...event(id), title });

  it('reads everything, then what has changed', async () => {
    const { client, asked } = scripted(
      { data: [titled('1', 'One'), titled('2', 'Two')], nextPageToken: 'p' },
      { data: [titled('3', 'Three')], nextSyncToken: 's1' },
      {
        data: [titled('1', 'Uno'), { id: '2', isCancelled: true }, { ...titled('3', 'Three'), isCancelled: true }],
        nextSyncToken: 's2',
      },
    );
    const copy = new Copy();
    copy.titles.set('stale', 'of an earlier try');
    const march = { startDateTime: '2033-03-01T00:00:00Z', endDateTime: '2033-04-01T00:00:00Z' };
    expect(await client.events.syncInto(copy, { ...CALENDAR, ...march })).toEqual({
      ...{ upserted: 3, deleted: 1, isFull: true },
    });
    expect([...copy.titles.values()]).toEqual(['One', 'Two', 'Three']);
    expect(await client.events.syncInto(copy, { ...CALENDAR, ...march })).toEqual({
      ...{ upserted: 1, deleted: 2, isFull: false },
    });
    expect([...copy.titles]).toEqual([['1', 'Uno']]);
    expect(copy.saved).toEqual(['s1', 's2']);
    expect(asked.at(-1)).toBe('?syncToken=s1');
  });

  it('starts over with a token that is too old, and deletes what is gone', async () => {
    const { client } = scripted(null, { data: [titled('2', 'Two')], nextSyncToken: 's2' });
    const copy = new Copy();
    copy.titles.set('1', 'One');
    copy.saved.push('s1');
    expect(await client.events.syncInto(copy, CALENDAR)).toEqual({ upserted: 1, deleted: 1, isFull: true });
    expect([...copy.titles]).toEqual([['2', 'Two']]);
    expect(copy.saved).toEqual(['s1', 's2']);
  });

  it('starts over with an empty answer, too', async () => {
    const { client } = scripted(null, { data: [], nextSyncToken: 's2' });
    const copy = new Copy();
    copy.titles.set('1', 'One');
    copy.saved.push('s1');
    expect(await client.events.syncInto(copy, CALENDAR)).toEqual({ upserted: 0, deleted: 1, isFull: true });
  });

  it('keeps nothing of what it had read before it started over', async () => {
    const { client } = scripted({ data: [titled('1', 'One')], nextPageToken: 'p' }, null, {
      data: [],
      nextSyncToken: 's2',
    });
    const copy = new Copy();
    copy.saved.push('s1');
    expect(await client.events.syncInto(copy, CALENDAR)).toEqual({ upserted: 1, deleted: 1, isFull: true });
    expect([...copy.titles]).toEqual([]);
  });

  it('reads everything each time where there are no tokens', async () => {
    const { client, asked } = scripted({ data: [titled('1', 'One')] }, { data: [titled('2', 'Two')] });
    const copy = new Copy();
    await client.events.syncInto(copy, CALENDAR);
    expect(await client.events.syncInto(copy, CALENDAR)).toEqual({ upserted: 1, deleted: 1, isFull: true });
    expect(asked).toEqual(['', '']);
    expect(copy.saved).toEqual([null, null]);
  });

  it('keeps the old token when the copy fails, so that nothing is skipped', async () => {
    const { client } = scripted({ data: [titled('1', 'One')], nextSyncToken: 's1' });
    const copy = new Copy();
    copy.fails = true;
    await expect(client.events.syncInto(copy, CALENDAR)).rejects.toThrow('the disk is full');
    expect(copy.saved).toEqual([]);
  });
});
