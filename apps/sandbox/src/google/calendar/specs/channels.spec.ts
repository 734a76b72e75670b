import { FakeHost, hour, KIM, MARA, RAVI } from '../../../../testing/calendar-api-host.js';

let fixture: FakeHost;
beforeEach(() => {
  fixture = new FakeHost();
});

const channel = (more: object = {}) => ({
  id: '5f1c2a3e-0000-4000-8000-00000000c001',
  type: 'web_hook',
  address: 'https://api.example.com/google',
  token: '3f9c-secret',
  ...more,
});
const watch = (user: typeof MARA, body: object = channel(), calendarId = 'primary') =>
  fixture.call(user, 'events.watch', { path: { calendarId }, body });
const states = () => fixture.notifications.map(({ headers }) => headers['x-goog-resource-state']);

describe('a channel', () => {
  it('is answered as F24 and told as F25', () => {
    const response = watch(MARA);
    expect(response).toEqual({
      kind: 'api#channel',
      id: channel().id,
      resourceId: expect.stringMatching(/^[\w-]{27}$/),
      resourceUri: `https://www.googleapis.com/calendar/v3/calendars/${MARA.email}/events?alt=json`,
      token: '3f9c-secret',
      expiration: String(fixture.now + 604_800_000),
    });
    expect(fixture.notifications).toEqual([
      {
        address: 'https://api.example.com/google',
        headers: {
          'content-length': '0',
          'user-agent': expect.stringContaining('APIs-Google'),
          'x-goog-channel-id': channel().id,
          'x-goog-channel-token': '3f9c-secret',
          'x-goog-channel-expiration': 'Sat, 28 Nov 2026 09:00:00 GMT',
          'x-goog-resource-id': response.resourceId,
          'x-goog-resource-uri': response.resourceUri,
          'x-goog-resource-state': 'sync',
          'x-goog-message-number': '1',
        },
      },
    ]);
  });

  it('is told once for each change, with rising numbers', () => {
    watch(MARA);
    const { id } = fixture.events(MARA).insert(hour(1));
    fixture.events(MARA).patch(id, { summary: 'x' });
    fixture.events(MARA).delete(id);
    fixture.events(MARA).list();
    expect(states()).toEqual(['sync', 'exists', 'exists', 'exists']);
    const numbers = fixture.notifications.map(({ headers }) => Number(headers['x-goog-message-number']));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });

  it('is told of what others change: guests, organizers, the service itself', () => {
    watch(RAVI);
    fixture.api.setConference({ pendingMs: 1_000, fail: false });
    const conferenceData = { createRequest: { requestId: '1', conferenceSolutionKey: { type: 'hangoutsMeet' } } };
    const path = { calendarId: 'primary' };
    fixture.call(MARA, 'events.insert', {
      path,
      query: { conferenceDataVersion: 1 },
      body: { ...hour(1), conferenceData, attendees: [{ email: RAVI.email }] },
    });
    fixture.now += 1_000;
    fixture.events(KIM).list();
    expect(states()).toEqual(['sync', 'exists', 'exists']);
  });

  it.each([
    [{ params: { ttl: '60' } }, 60_000],
    [{ params: { ttl: '9999999999' } }, 2_592_000_000],
    [{ expiration: String(Date.parse('2026-11-21T10:00:00Z')) }, 3_600_000],
    [{ params: { ttl: '60' }, expiration: String(Date.parse('2026-11-21T10:00:00Z')) }, 60_000],
  ])('with %j lives %d ms', (more, lifetimeMs) => {
    expect(Number(watch(MARA, channel(more)).expiration) - fixture.now).toBe(lifetimeMs);
    fixture.now += lifetimeMs;
    fixture.events(MARA).insert(hour(1));
    expect(states()).toEqual(['sync']);
    expect(fixture.api.channels()).toEqual([]);
  });

  it.each([
    [{ id: undefined }, '400 required Missing channel id.'],
    [{ id: 'x'.repeat(65) }, '400 invalid Invalid value for: id.'],
    [{ type: 'carrier_pigeon' }, '400 invalid Unknown channel type.'],
    [{ token: 'x'.repeat(257) }, '400 invalid Invalid value for: token.'],
    [{ address: undefined }, '400 required Missing or invalid WebHook callback.'],
    [{ address: 'nowhere' }, '400 required Missing or invalid WebHook callback.'],
    [
      { address: 'http://api.example.com/' },
      '400 push.webhookUrlNotHttps WebHook callback must be HTTPS: http://api.example.com/',
    ],
    [
      { address: 'http://127.0.0.1.example.com/' },
      '400 push.webhookUrlNotHttps WebHook callback must be HTTPS: http://127.0.0.1.example.com/',
    ],
    [{ params: { ttl: 'soon' } }, '400 invalid Invalid value for: params.ttl.'],
    [{ expiration: '1000' }, '400 invalid Invalid value for: expiration.'],
  ])('is refused with %j', (more, rejection) => {
    const parts = { path: { calendarId: 'primary' }, body: channel(more) };
    expect(fixture.refusal(MARA, 'events.watch', parts)).toBe(rejection);
    expect(fixture.notifications).toEqual([]);
  });

  it.each(['http://localhost:3000/x', 'http://127.0.0.1:3000/x', 'http://[::1]:3000/x'])('may call %s', (address) => {
    watch(MARA, channel({ address }));
    expect(fixture.notifications).toMatchObject([{ address }]);
  });

  it('has an id that nobody had before', () => {
    watch(MARA);
    fixture.api.dropChannel(channel().id);
    const parts = { path: { calendarId: 'primary' }, body: channel() };
    expect(fixture.refusal(RAVI, 'events.watch', parts)).toMatch(/^400 channelIdNotUnique /);
  });

  it('needs a calendar that can be watched by this user', () => {
    const calendarId = 'en.uk#holiday@group.v.calendar.google.com';
    expect(fixture.refusal(MARA, 'events.watch', { path: { calendarId }, body: channel() })).toBe(
      '400 pushNotSupportedForRequestedResource Push notifications are not supported by this resource.',
    );
    const parts = { path: { calendarId: RAVI.email }, body: channel() };
    expect(fixture.refusal(MARA, 'events.watch', parts)).toBe('404 notFound Not Found');
  });

  it('is stopped by its own user, with its resource id, once', () => {
    const { id, resourceId } = watch(MARA);
    const stop = (user: typeof MARA, body: object) => fixture.refusal(user, 'channels.stop', { body });
    expect(stop(RAVI, { id, resourceId })).toBe(`404 notFound Channel '${id}' not found`);
    expect(stop(MARA, { id, resourceId: 'other' })).toMatch(/^404/);
    expect(stop(MARA, { id })).toMatch(/^400 required/);
    expect(fixture.answer(MARA, 'channels.stop', { body: { id, resourceId } })).toEqual({ status: 204, body: null });
    expect(stop(MARA, { id, resourceId })).toMatch(/^404/);
    fixture.events(MARA).insert(hour(1));
    expect(states()).toEqual(['sync']);
  });

  it('can be lost without a word', () => {
    watch(MARA);
    expect(fixture.api.dropChannel(channel().id)).toBe(true);
    expect(fixture.api.dropChannel(channel().id)).toBe(false);
    fixture.events(MARA).insert(hour(1));
    expect(states()).toEqual(['sync']);
  });

  it('stands beside others on the same calendar', () => {
    const first = watch(MARA);
    const second = watch(MARA, channel({ id: 'second' }));
    expect(second.resourceId).toBe(first.resourceId);
    fixture.events(MARA).insert(hour(1));
    expect(states()).toEqual(['sync', 'sync', 'exists', 'exists']);
  });
});
