import fc from 'fast-check';
import { FakeHost, hour, KIM, MARA, mondays, RAVI } from '../../../../testing/calendar-api-host.js';

const USERS = [MARA, RAVI, KIM];
const CHANNEL = { id: 'channel-1', type: 'web_hook', address: 'https://receiver.example/google', token: 't-1' };
const PENDING = { requestId: 'r-1', conferenceSolutionKey: { type: 'hangoutsMeet' } };

describe('calendars after a restart', () => {
  it('hold their events, series and exceptions, with the same etags', () => {
    const fixture = new FakeHost();
    const mine = fixture.events(MARA);
    mine.insert({ summary: 'Launch', ...hour(1) });
    const series = mine.insert(mondays({ attendees: [{ email: RAVI.email }] }));
    const [first, second] = mine.instances(series.id).items;
    mine.patch(first.id, { location: 'Pier 7' });
    mine.delete(second.id);
    const after = fixture.restarted();
    for (const user of USERS) {
      const query = { showDeleted: true };
      expect(after.events(user).list(query)).toEqual(fixture.events(user).list(query));
      expect(after.call(user, 'calendarList.list')).toEqual(fixture.call(user, 'calendarList.list'));
    }
    expect(after.events(RAVI).instances(series.id)).toEqual(fixture.events(RAVI).instances(series.id));
  });

  it('tell the holder of an old sync token what has changed since, before and after', () => {
    const fixture = new FakeHost();
    const series = fixture.events(MARA).insert(mondays());
    const { nextSyncToken: syncToken } = fixture.events(MARA).list();
    const [first] = fixture.events(MARA).instances(series.id).items;
    fixture.events(MARA).delete(first.id);
    const after = fixture.restarted();
    const fresh = after.events(MARA).insert(hour(2));
    expect(after.events(MARA).ids({ syncToken })).toEqual([first.id, fresh.id]);
  });

  it('still know what has vanished from a series that was cut', () => {
    const fixture = new FakeHost();
    const series = fixture.events(MARA).insert(mondays());
    const query = { singleEvents: true };
    const { items, nextSyncToken } = fixture.events(MARA).list(query);
    fixture.events(MARA).patch(series.id, { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3'] });
    const changes = fixture
      .restarted()
      .events(MARA)
      .list({ ...query, syncToken: nextSyncToken });
    expect(changes.items).toContainEqual(expect.objectContaining({ id: items[3].id, status: 'cancelled' }));
  });

  it('remember which sync tokens have expired', () => {
    const fixture = new FakeHost();
    const { nextSyncToken: syncToken } = fixture.events(MARA).list();
    fixture.api.expireSyncTokens({});
    expect(fixture.restarted().events(MARA).refusal('list', '', null, { syncToken })).toMatch(/^410 fullSyncRequired/);
  });

  it('do not take an answer for a change of the event', () => {
    const fixture = new FakeHost();
    const { id } = fixture.events(MARA).insert({ ...hour(1), attendees: [{ email: RAVI.email }] });
    const attendees = [{ email: RAVI.email, responseStatus: 'accepted' }];
    fixture.restarted().events(RAVI).patch(id, { attendees });
  });

  it('go on telling their channels, and know the ids that are spent', () => {
    const fixture = new FakeHost();
    const watch = { path: { calendarId: 'primary' }, body: CHANNEL };
    fixture.call(MARA, 'events.watch', watch);
    const after = fixture.restarted();
    after.events(MARA).insert(hour(1));
    expect(after.notifications.map(({ headers }) => headers)).toEqual([
      expect.objectContaining({ 'x-goog-channel-token': 't-1', 'x-goog-message-number': '3' }),
    ]);
    after.api.dropChannel(CHANNEL.id);
    expect(after.restarted().refusal(MARA, 'events.watch', watch)).toMatch(/^400 channelIdNotUnique/);
  });

  it('decide conference requests that were pending', () => {
    const fixture = new FakeHost();
    fixture.api.setConference({ pendingMs: 60_000, fail: false });
    const body = { ...hour(1), conferenceData: { createRequest: PENDING } };
    const { id } = fixture.events(MARA).insert(body, { conferenceDataVersion: 1 });
    const after = fixture.restarted();
    expect(after.events(MARA).get(id).hangoutLink).toBeUndefined();
    after.now += 60_000;
    expect(after.events(MARA).get(id).hangoutLink).toMatch(/^https:\/\/meet\.google\.com\//);
  });

  it('give out nothing twice that a killed process gave out after its last snapshot', () => {
    const fixture = new FakeHost();
    fixture.events(MARA).list();
    const after = fixture.restarted();
    after.memory.skipAhead();
    const lost = fixture.events(MARA).insert(hour(1));
    const { nextSyncToken: lostToken } = fixture.events(MARA).list();
    const kept = after.events(MARA).insert(hour(2));
    const { nextSyncToken: keptToken } = after.events(MARA).list();
    expect(kept.id).not.toBe(lost.id);
    expect(kept.etag).not.toBe(lost.etag);
    expect(keptToken).not.toBe(lostToken);
    expect(after.events(MARA).refusal('list', '', null, { syncToken: lostToken })).toMatch(/^400 invalid/);
  });

  it('cannot be told from calendars that were never restarted', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.array(step, { maxLength: 8 }), (before, then) => {
        const fixture = new FakeHost();
        const known = new Known();
        for (const each of before) run(fixture, known, each);
        const sent = fixture.notifications.length;
        const objections = fixture.violations.length;

        const after = fixture.restarted();
        const alsoKnown = known.copy();
        for (const each of then) expect(run(after, alsoKnown, each)).toEqual(run(fixture, known, each));

        expect(after.notifications).toEqual(fixture.notifications.slice(sent));
        expect(after.violations).toEqual(fixture.violations.slice(objections));
        expect(after.memory.snapshot()).toEqual(fixture.memory.snapshot());
      }),
      { numRuns: 150 },
    );
  });
});

/** What a client has been told so far. */
class Known {
  constructor(
    readonly eventIds: string[] = [],
    readonly syncTokens: string[] = [],
  ) {}

  copy(): Known {
    return new Known([...this.eventIds], [...this.syncTokens]);
  }
}

const VERBS = [
  'insert',
  'series',
  'rename',
  'move',
  'cut',
  'answer',
  'invite',
  'delete',
  'except',
  'skip',
  'list',
  'sync',
  'share',
  'watch',
  'expire',
  'wait',
  'meet',
] as const;

interface Step {
  verb: (typeof VERBS)[number];
  user: number;
  /** Picks one of what is known, or a day. */
  which: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  verb: fc.constantFrom(...VERBS),
  user: fc.nat({ max: 2 }),
  which: fc.nat({ max: 11 }),
});

/** @returns the answer, or the refusal */
function run(fixture: FakeHost, known: Known, { verb, user: index, which }: Step): unknown {
  const user = USERS[index]!;
  const guest = USERS[(index + 1) % USERS.length]!;
  const mine = fixture.events(user);
  const eventId = known.eventIds[which % known.eventIds.length] ?? 'none0';
  const path = { calendarId: 'primary' };
  const created = (event: { id: string }) => {
    known.eventIds.push(event.id);
    return event;
  };
  const instance = (): string => mine.instances(eventId, { maxResults: 4 }).items[which % 4].id;
  const listed = (page: { nextSyncToken: string }) => {
    known.syncTokens.push(page.nextSyncToken);
    return page;
  };
  const steps: Record<Step['verb'], () => unknown> = {
    insert: () => created(mine.insert({ ...hour(1 + which), attendees: [{ email: guest.email }] })),
    series: () => created(mine.insert(mondays(which % 2 === 0 ? {} : { attendees: [{ email: guest.email }] }))),
    rename: () => mine.patch(eventId, { summary: `Title ${which}` }),
    move: () => mine.patch(eventId, hour(1 + which, 14)),
    cut: () => mine.patch(eventId, { recurrence: [`RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=${1 + (which % 4)}`] }),
    answer: () => mine.patch(eventId, { attendees: [{ email: user.email, responseStatus: 'accepted' }] }),
    invite: () => mine.patch(eventId, { attendees: USERS.map(({ email }) => ({ email })) }),
    delete: () => mine.delete(eventId),
    except: () => mine.patch(instance(), { location: 'Elsewhere' }),
    skip: () => mine.delete(instance()),
    list: () => listed(mine.list()),
    sync: () => listed(mine.list({ syncToken: known.syncTokens[which % known.syncTokens.length] })),
    share: () => fixture.share(user, 'primary', guest.email, which % 2 === 0 ? 'writer' : 'none'),
    watch: () => fixture.call(user, 'events.watch', { path, body: { ...CHANNEL, id: `channel-${which}` } }),
    expire: () => fixture.api.expireSyncTokens({ email: user.email }),
    wait: () => (fixture.now += which * 3_600_000),
    meet: () =>
      mine.patch(eventId, { conferenceData: { createRequest: PENDING } }, { conferenceDataVersion: 1 }).hangoutLink,
  };
  try {
    return steps[verb]();
  } catch (error) {
    return (error as Error).message;
  }
}
