// 20 s: each question to the service is one to the feed, too.
import { accountsConform } from './accounts.js';
import { freeBusyConforms } from './free-busy.js';
import { startIcsSubject } from './ics-subject.js';
import { listsConform } from './lists.js';
import { recurrenceConforms } from './recurrence.js';
import { openFixture, type Fixture } from './subject.js';
import { syncConforms } from './sync.js';

describe('ICS conforms in what it reads', () => {
  let running: Awaited<ReturnType<typeof startIcsSubject>>;
  let fixture: Fixture;
  const getFixture = () => fixture;

  beforeAll(async () => {
    running = await startIcsSubject();
    fixture = await openFixture(running.subject, running.published);
  });

  afterAll(async () => {
    await running?.stop();
  });

  accountsConform(getFixture);
  listsConform(getFixture);
  syncConforms(getFixture);
  recurrenceConforms(getFixture);
  freeBusyConforms(getFixture);

  it('is written by nobody', async () => {
    const { service } = running;
    const { body: account } = await running.subject.connect(service);
    const at = (resource: string) => `/v1/${resource}/${account.id}`;
    const [calendar] = (await service.call('GET', at('calendars'))).body.data;
    expect(calendar).toMatchObject({ readOnly: true, isPrimary: false, isShared: false });
    const event = { title: 'x', start: { dateTime: '2027-03-22T09:00:00Z' } };
    const own = `${at('events')}/${calendar.id}`;
    for (const [method, path, body] of [
      ['POST', at('calendars'), { name: 'Another' }],
      ['PUT', `${at('calendars')}/${calendar.id}`, { name: 'Other' }],
      ['DELETE', `${at('calendars')}/${calendar.id}`, undefined],
      ['POST', own, event],
      ['PUT', `${own}/any`, { title: 'y' }],
      ['DELETE', `${own}/any`, undefined],
      ['POST', `${own}/any/rsvp`, { responseStatus: 'accepted' }],
    ] as const) {
      const response = await service.call(method, path, body === undefined ? {} : { body });
      expect([method, path, response.status, response.body.code]).toEqual([method, path, 403, 'ReadOnlyCalendar']);
    }
  });
});
