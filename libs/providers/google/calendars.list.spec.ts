import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import { listCalendars } from './calendars.js';
import { clientOver, refusal } from './testing/google-client.js';

const ROUTE = 'GET /calendar/v3/users/me/calendarList';
const LIST = { pageSize: 100, page: null, sync: null };
const ITEM = { id: 'c@x', summary: 'C', accessRole: 'owner', timeZone: 'UTC', backgroundColor: '#000000' };

function bench(...responses: [Scripted, ...Scripted[]]) {
  return clientOver(new ScriptedEgress().on(ROUTE, ...responses));
}

describe('listCalendars (google)', () => {
  it('reads a page, hidden calendars included', async () => {
    const { connection, egress } = bench({ json: { items: [ITEM], nextSyncToken: 'S1' } });
    const page = await listCalendars(connection, LIST);
    expect(egress.lines).toEqual([`${ROUTE}?maxResults=100&showHidden=true`]);
    expect(page).toMatchObject({ items: [{ id: 'c@x' }], nextPage: null, nextSync: 'S1' });
  });

  it('goes on with the query that the list began with', async () => {
    const { connection, egress } = bench({ json: { items: [ITEM], nextPageToken: 'P2', nextSyncToken: 'early' } });
    const first = await listCalendars(connection, { pageSize: 1, page: null, sync: 'S1' });
    expect(first.nextSync).toBeNull();
    await listCalendars(connection, { pageSize: 50, page: first.nextPage, sync: null });
    expect(egress.lines).toEqual([
      `${ROUTE}?maxResults=1&showHidden=true&syncToken=S1`,
      `${ROUTE}?maxResults=1&showHidden=true&pageToken=P2&syncToken=S1`,
    ]);
  });

  it("asks for no more than Google's maximum", async () => {
    const { connection, egress } = bench({ json: {} });
    await listCalendars(connection, { ...LIST, pageSize: 1_000 });
    expect(egress.lines[0]).toContain('maxResults=250');
  });

  it('tells calendars that are gone since the sync token', async () => {
    const { connection } = bench({ json: { items: [{ id: 'gone', deleted: true }, ITEM], nextSyncToken: 'S2' } });
    const { items } = await listCalendars(connection, { ...LIST, sync: 'S1' });
    expect(items).toEqual([{ id: 'gone', isDeleted: true }, expect.objectContaining({ id: 'c@x', name: 'C' })]);
  });

  it('goes past empty pages, and not for ever', async () => {
    const { connection, egress } = bench({ json: { items: [], nextPageToken: 'P2' } }, { json: { items: [ITEM] } });
    expect((await listCalendars(connection, LIST)).items).toHaveLength(1);
    expect(egress.requests).toHaveLength(2);
    const endless = bench({ json: { nextPageToken: 'again' } });
    await expect(listCalendars(endless.connection, LIST)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expect(endless.egress.requests).toHaveLength(10);
  });

  it.each([{ nextPageToken: { more: true } }, { nextPageToken: 7 }, { nextSyncToken: [] }])(
    'N51 does not end a list at %j',
    async (tokens) => {
      const { connection } = bench({ json: { items: [ITEM], ...tokens } });
      await expect(listCalendars(connection, LIST)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    },
  );

  it('tells a sync token that Google does not recognise as expired, and a page token as invalid', async () => {
    const garbage = refusal(400, 'invalid', 'Invalid sync token value.');
    await expect(listCalendars(bench(garbage).connection, { ...LIST, sync: 'S1' })).rejects.toMatchObject({
      code: 'SyncTokenExpired',
    });
    await expect(listCalendars(bench(garbage).connection, { ...LIST, page: ['P', null, 5] })).rejects.toMatchObject({
      code: 'PageTokenInvalid',
    });
    await expect(listCalendars(bench(garbage).connection, LIST)).rejects.toMatchObject({ status: 400 });
  });

  it.each([
    ['without a reason', { status: 410, text: '<html>gone</html>' }, null],
    ['with a reason', refusal(410, 'fullSyncRequired'), null],
    ['in mid walk', refusal(410, 'fullSyncRequired'), ['P', 'S1', 5]],
  ])('F33 tells a sync token that is gone as expired, %s', async (_, gone, page) => {
    await expect(listCalendars(bench(gone).connection, { ...LIST, sync: 'S1', page })).rejects.toMatchObject({
      code: 'SyncTokenExpired',
    });
  });

  it.each([7, {}, [], ['P'], ['P', 7, 5], ['P', null, '5'], [7, null, 5]])(
    'refuses the page %j without asking Google',
    async (page) => {
      const { connection, egress } = bench({ json: {} });
      await expect(listCalendars(connection, { ...LIST, page })).rejects.toMatchObject({ code: 'PageTokenInvalid' });
      expect(egress.requests).toEqual([]);
    },
  );

  it('refuses a sync token of another form', async () => {
    const { connection } = bench({ json: {} });
    await expect(listCalendars(connection, { ...LIST, sync: { a: 1 } })).rejects.toMatchObject({
      code: 'PageTokenInvalid',
    });
  });

  it.each([{ items: 'none' }, { items: {} }, { items: [null] }, { items: [{ summary: 'no id' }] }])(
    'N51 refuses %j',
    async (json) => {
      await expect(listCalendars(bench({ json }).connection, LIST)).rejects.toMatchObject({
        code: 'ProviderUnavailable',
      });
    },
  );
});
