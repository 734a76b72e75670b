import { calendarQuery } from 'tsdav';
import {
  createCalendar,
  deleteCalendar,
  getCalendar,
  listCalendars,
  updateCalendar,
} from '../../../libs/providers/caldav/calendars.js';
import { ALICE, type CalDavServer } from '../../support/caldav-server.js';
import { CalDavBench, failure } from '../../support/caldav-account.js';
import { startRadicale } from '../../support/radicale.js';
import { startSabre } from '../../support/sabre.js';
import { startXandikos } from '../../support/xandikos.js';

const EVENT = Buffer.from(
  'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t//t//EN\r\nBEGIN:VEVENT\r\nUID:one\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260105T090000Z\r\nDTEND:20260105T100000Z\r\nSUMMARY:Ä\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
);

/** What each of them does not keep of a calendar, found out by asking. */
const SERVERS = [
  { start: () => startRadicale(), ignored: [] as string[] },
  { start: () => startXandikos(), ignored: ['timeZone'] },
  { start: () => startSabre(), ignored: [] },
  { start: () => startSabre(ALICE, 'digest'), ignored: [] },
];

describe.each(SERVERS)('real server $#', ({ start, ignored }) => {
  let server: CalDavServer;
  let bench: CalDavBench;
  beforeAll(async () => {
    server = await start();
    bench = new CalDavBench({
      url: server.url,
      egressAllow: server.authority,
      login: { username: server.username, password: server.password },
    });
  });
  afterAll(async () => {
    await bench.close();
    await server.stop();
  });

  it('is discovered from its bare address', async () => {
    const connected = await bench.connect();
    expect(connected.serverUrl).toBe(server.url);
    expect(connected.providerState).toMatchObject({ version: 1, collectionHref: null });
  });

  it('refuses a wrong password with 400', async () => {
    expect((await failure(bench.connect(server.url, 'wrong'))).code).toBe('CredentialsRejected');
  });

  it('keeps a calendar that is made, changed, listed and deleted', async () => {
    const connection = await bench.connection();
    const input = { name: 'Ärger & <Co>', hexColor: '#12AB34', timeZone: 'Europe/Berlin' };
    const { calendar, ignoredFields } = await createCalendar(connection, input, {});
    expect(ignoredFields).toEqual(ignored);
    expect(calendar).toMatchObject({ name: input.name, hexColor: input.hexColor, readOnly: false, isShared: false });
    expect(calendar.timeZone).toBe(ignored.includes('timeZone') ? 'UTC' : 'Europe/Berlin');
    expect(await getCalendar(connection, calendar.id)).toEqual(calendar);
    const before = await listCalendars(connection, { pageSize: 100, page: null, sync: null });
    expect(before.items).toContainEqual(calendar);

    const changed = await updateCalendar(connection, calendar.id, { name: 'Renamed', hexColor: '#445566' });
    expect(changed).toMatchObject({
      calendar: { id: calendar.id, name: 'Renamed', hexColor: '#445566' },
      ignoredFields: [],
    });
    const since = await listCalendars(connection, { pageSize: 100, page: null, sync: before.nextSync });
    expect(since.items).toEqual([changed.calendar]);

    await deleteCalendar(connection, calendar.id);
    const after = await listCalendars(connection, { pageSize: 100, page: null, sync: since.nextSync });
    expect(after.items).toEqual([{ id: calendar.id, isDeleted: true }]);
    expect((await failure(getCalendar(connection, calendar.id))).code).toBe('NotFound');
  });

  it('answers GET, PUT, REPORT and DELETE as the client expects', async () => {
    const connection = await bench.connection();
    const { calendar } = await createCalendar(connection, { name: 'Objects' }, {});
    const { client } = connection;
    const collection = await connection.collection(calendar.id);
    const href = `${collection.href}one.ics`;
    const put = await client.put(href, EVENT, { ifNoneMatch: '*' });
    expect(put.status).toBe(201);
    expect((await client.put(href, EVENT, { ifNoneMatch: '*' })).status).toBe(412);
    expect((await client.get(href)).body.toString()).toContain('SUMMARY:Ä');
    const events = { 'comp-filter': { _attributes: { name: 'VEVENT' } } };
    const filters = { 'comp-filter': { _attributes: { name: 'VCALENDAR' }, ...events } };
    const report = await client.report(collection.href, '1', (to) =>
      calendarQuery({ ...to, props: { 'd:getetag': {} }, filters }),
    );
    expect(report.responses.map(({ path }) => path)).toEqual([client.pathOf(href)]);
    expect((await client.delete(href, { ifMatch: '"old"' })).status).toBe(412);
    expect([200, 204]).toContain((await client.delete(href, {})).status);
    expect((await client.get(href)).status).toBe(404);
  });
});
