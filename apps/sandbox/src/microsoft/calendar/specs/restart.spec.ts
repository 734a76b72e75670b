import { guests, hour, IDA, MailboxFixture, OMAR } from './mailbox-fixture.js';

const DECEMBER = { startDateTime: '2026-12-01T00:00:00Z', endDateTime: '2027-01-01T00:00:00Z' };

/** A house that goes on from another one, as a new process does. */
function movedTo(before: MailboxFixture): MailboxFixture {
  const fixture = new MailboxFixture();
  fixture.memory.restore(JSON.parse(JSON.stringify(before.memory.snapshot())) as unknown);
  return fixture;
}

it('goes on where it was: events, copies, tokens, subscriptions and transactions', async () => {
  const before = new MailboxFixture();
  const body = { subject: 'Board', transactionId: 't-1', ...guests(OMAR.email), ...hour(8) };
  const { id } = await before.create(IDA, body);
  const { token } = await before.delta(IDA, { query: DECEMBER });
  await before.body(IDA, 'createSubscription', {
    body: {
      changeType: 'deleted',
      notificationUrl: 'https://hooks.example/n',
      resource: 'me/events',
      expirationDateTime: '2026-11-25T00:00:00Z',
      clientState: 's',
    },
  });
  const calendarId = before.api.share({ owner: OMAR.email!, calendarId: null, with: IDA.email!, canEdit: false });
  const fixture = movedTo(before);
  expect(await fixture.get(IDA, id as string)).toEqual(await before.get(IDA, id as string));
  expect(await fixture.list(OMAR)).toEqual(await before.list(OMAR));
  expect((await fixture.create(IDA, body))['id']).toBe(id);
  expect((await fixture.body(IDA, 'list_me_calendars'))['value']).toMatchObject([{}, { id: calendarId }]);
  await fixture.remove(IDA, id as string);
  expect((await fixture.delta(IDA, { query: { $deltatoken: token } })).rows).toMatchObject([
    { id: id as string, '@removed': { reason: 'deleted' } },
  ]);
  expect(fixture.notifications).toHaveLength(1);
});

it('still brings the links that were to come', async () => {
  const before = new MailboxFixture();
  before.api.setMeetings({ pendingMs: 1_000, fail: false });
  const { id } = await before.create(IDA, { isOnlineMeeting: true, ...hour(8) });
  const fixture = movedTo(before);
  expect(await fixture.get(IDA, id as string)).toMatchObject({ onlineMeeting: null });
  fixture.ms += 1_000;
  expect(await fixture.get(IDA, id as string)).toMatchObject({ onlineMeeting: { joinUrl: expect.any(String) } });
});

it('shares nothing with the snapshot that it goes on from', async () => {
  const before = new MailboxFixture();
  const snapshot = before.memory.snapshot();
  const fixture = new MailboxFixture();
  fixture.memory.restore(snapshot);
  await fixture.create(IDA, hour(8));
  expect(await before.list(IDA)).toEqual([]);
});

it('leaves out what a process that was killed may have given out', async () => {
  const before = new MailboxFixture();
  const fixture = movedTo(before);
  fixture.memory.skipAhead();
  const lost = await before.create(IDA, hour(8));
  const made = await fixture.create(IDA, hour(8));
  expect(made['id']).not.toBe(lost['id']);
  expect(made['changeKey']).not.toBe(lost['changeKey']);
});

it('makes the same ids in the same order, and forgets everything when told', async () => {
  const [one, other] = [new MailboxFixture(), new MailboxFixture()];
  const { id } = await one.create(IDA, hour(8));
  expect((await other.create(IDA, hour(8)))['id']).toBe(id);
  one.memory.clear();
  one.api.reset();
  expect(await one.refusal(IDA, 'list_me_events')).toBe('404 MailboxNotEnabledForRESTAPI');
  one.api.addUser(IDA);
  one.api.addUser(IDA);
  expect(await one.list(IDA)).toEqual([]);
});
