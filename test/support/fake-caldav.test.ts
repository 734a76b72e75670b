import { FakeCalDav } from './fake-caldav.js';

const EVENT =
  'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t//t//\r\nBEGIN:VEVENT\r\nUID:one\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260105T090000Z\r\nDTEND:20260105T100000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';

describe('the fake CalDAV server', () => {
  let fake: FakeCalDav;
  beforeEach(async () => {
    fake = await FakeCalDav.start();
  });
  afterEach(() => fake.close());

  async function send(method: string, path: string, init: { body?: string; headers?: Record<string, string> } = {}) {
    const { username, password } = fake.login;
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const response = await fetch(new URL(path, fake.url), {
      method,
      ...init,
      headers: { authorization, ...init.headers },
    });
    return { status: response.status, etag: response.headers.get('etag'), text: await response.text() };
  }

  it('refuses a request without credentials and records it', async () => {
    const response = await fetch(fake.url, { method: 'PROPFIND' });
    expect(response.status).toBe(401);
    await response.arrayBuffer();
    expect(fake.requests).toHaveLength(1);
  });

  it('stores an object and tells of it by query, multiget and sync token', async () => {
    const calendar = fake.addCalendar('work', 'Work');
    const put = await send('PUT', `${calendar.path}one.ics`, { body: EVENT, headers: { 'if-none-match': '*' } });
    expect(put).toMatchObject({ status: 201, etag: calendar.objects.get('one.ics')?.etag });
    expect(
      await send('PUT', `${calendar.path}one.ics`, { body: EVENT, headers: { 'if-none-match': '*' } }),
    ).toMatchObject({
      status: 412,
    });
    const sync = await send('REPORT', calendar.path, {
      headers: { depth: '0' },
      body: '<sync-collection xmlns="DAV:"><sync-token/><sync-level>1</sync-level><prop><getetag/></prop></sync-collection>',
    });
    expect(sync.status).toBe(207);
    expect(sync.text).toContain('one.ics');
    expect(sync.text).toContain('&amp;1</d:sync-token>');
    const query = await send('REPORT', calendar.path, {
      headers: { depth: '1' },
      body: '<c:calendar-query xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><prop><c:calendar-data/></prop><c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"><c:time-range start="20260201T000000Z" end="20260301T000000Z"/></c:comp-filter></c:comp-filter></c:filter></c:calendar-query>',
    });
    expect(query.text).not.toContain('one.ics');
    expect(await send('DELETE', `${calendar.path}one.ics`)).toMatchObject({ status: 204 });
  });
});
