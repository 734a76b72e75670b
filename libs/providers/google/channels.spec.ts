import { NotificationUrlUnreachable } from '#domain/system';
import { clientOver, refusal, sessionOf } from './testing/google-client.js';
import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import { GoogleAuthorizationServer } from './authorization-server.js';
import { googleProvider, type GoogleAdapterParts } from './adapter.js';

const LIST = 'GET /calendar/v3/users/me/calendarList';
const WATCH = 'POST /calendar/v3/calendars/mara%40example.com/events/watch';
const STOP = 'POST /calendar/v3/channels/stop';

const REQUEST = {
  channelId: '5f1c2a3e-0000-4000-8000-00000000c001',
  token: `${'aB3_-'.repeat(8)}xyz`,
  notificationUrl: 'https://api.example.com/api/v1/providers/google/notifications',
  lifecycleUrl: 'https://api.example.com/api/v1/providers/google/notifications',
};
const CHANNEL = { subscriptionId: REQUEST.channelId, resourceId: 'rEs0urceFixture001', token: REQUEST.token };

/** As Google answers. */
const OPENED = {
  kind: 'api#channel',
  id: REQUEST.channelId,
  resourceId: CHANNEL.resourceId,
  resourceUri: 'https://www.googleapis.com/calendar/v3/calendars/mara@example.com/events?alt=json',
  token: REQUEST.token,
  expiration: '1795804800000',
};

function bench(...watched: Scripted[]) {
  const egress = new ScriptedEgress()
    .on(`${LIST}/primary`, { json: { id: 'mara@example.com' } })
    .on(LIST, { json: { kind: 'calendar#calendarList' } })
    .on(STOP, { status: 204 });
  const [first = { json: OPENED }, ...others] = watched;
  egress.on(WATCH, first, ...others);
  const { deps, budget, clock } = clientOver(egress);
  const authorization = new GoogleAuthorizationServer(deps);
  const { push } = googleProvider({ ...deps, authorization, events: {} as GoogleAdapterParts['events'] });
  return { egress, budget, clock, push: push!, open: () => push!.open(sessionOf(), 'primary', REQUEST) };
}

describe('opening a channel of Google', () => {
  it('asks for a week, once, on the account’s budget, and tells what it takes to stop it', async () => {
    const { open, egress, budget } = bench();
    expect(await open()).toEqual({
      subscriptionId: REQUEST.channelId,
      resourceId: CHANNEL.resourceId,
      expiresAt: new Date(1_795_804_800_000),
    });
    expect(egress.lines).toEqual([`${LIST}/primary`, WATCH]);
    expect(egress.bodies[1]).toEqual({
      id: REQUEST.channelId,
      token: REQUEST.token,
      type: 'web_hook',
      address: REQUEST.notificationUrl,
      params: { ttl: '604800' },
    });
    expect(budget.taken).toBe(2);
  });

  it('reads the end as a number, too', async () => {
    const { open } = bench({ json: { ...OPENED, expiration: 1_795_804_800_000 } });
    expect(await open()).toMatchObject({ expiresAt: new Date(1_795_804_800_000) });
  });

  it.each<[string, object]>([
    ['no end', { expiration: undefined }],
    ['an end in the past', { expiration: '1700000000000' }],
    ['an end in a thousand years', { expiration: '33352348800000' }],
    ['an end beyond all times', { expiration: '9999999999999999' }],
    ['an end that is a date', { expiration: '2026-11-28T00:00:00Z' }],
    ['an end that is half a number', { expiration: 1_795_804_800_000.5 }],
    ['an end that is no number', { expiration: '0x1a' }],
    ['the id of another channel', { id: '5f1c2a3e-0000-4000-8000-00000000c002' }],
  ])('stops a channel that is answered with %s', async (_, wrong) => {
    const { open, egress } = bench({ json: { ...OPENED, ...wrong } });
    await expect(open()).rejects.toMatchObject({
      code: 'ProviderUnavailable',
      provider: { code: 'response-invalid', retryable: true },
    });
    expect(egress.lines.at(-1)).toBe(STOP);
    expect(egress.bodies.at(-1)).toEqual({ id: REQUEST.channelId, resourceId: CHANNEL.resourceId });
  });

  it.each<unknown>([undefined, '', 7, 'r'.repeat(513)])(
    'cannot stop one whose resource is %j, and does not take it',
    async (resourceId) => {
      const { open, egress } = bench({ json: { ...OPENED, resourceId } });
      await expect(open()).rejects.toMatchObject({ code: 'ProviderUnavailable' });
      expect(egress.lines).not.toContain(STOP);
    },
  );

  it('is null for a calendar that Google never pushes for', async () => {
    const { open } = bench(refusal(400, 'pushNotSupportedForRequestedResource'));
    expect(await open()).toBeNull();
  });

  it.each<[string, Scripted, object]>([
    ['an id that was used', refusal(400, 'channelIdNotUnique'), { code: 'Conflict' }],
    ['a user without calendars', refusal(403, 'notACalendarUser'), { code: 'Forbidden' }],
    [
      'a missing scope',
      refusal(403, 'insufficientPermissions'),
      { code: 'Forbidden', message: expect.stringContaining('be told of changes') },
    ],
    ['a calendar that is gone', refusal(404, 'notFound'), { code: 'NotFound' }],
    ['dead access', refusal(401, 'authError'), { code: 'CredentialsRejected' }],
    [
      'an address without https',
      refusal(400, 'push.webhookUrlNotHttps'),
      { code: 'ProviderUnavailable', message: expect.stringContaining('PUBLIC_URL'), provider: { retryable: false } },
    ],
    [
      'an address that is not ours',
      refusal(401, 'push.webhookUrlUnauthorized'),
      { code: 'ProviderUnavailable', message: expect.stringContaining('PUBLIC_URL') },
    ],
    ['anything else', refusal(400, 'invalid', 'Invalid value for: token.'), { code: 'ProviderRejected' }],
  ])('tells %s', async (_, response, error) => {
    const { open, egress } = bench(response);
    await expect(open()).rejects.toMatchObject(error);
    expect(egress.lines.filter((line) => line === WATCH)).toHaveLength(1);
  });

  it.each([
    ['push.webhookUrlNotHttps', 400],
    ['push.webhookUrlUnauthorized', 401],
  ])('calls an address that Google refuses with %s one that it cannot reach', async (reason, status) => {
    const { open } = bench(refusal(status, reason));
    const failure: unknown = await open().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NotificationUrlUnreachable);
    expect(failure).toMatchObject({ provider: { status, code: reason, retryable: false } });
  });

  it.each(['http://calendar.example.com/n', 'https://localhost/n', 'https://10.0.0.7/n', 'https://[::1]:3000/n'])(
    'does not ask for pushes to %s, which Google cannot reach',
    async (notificationUrl) => {
      const { push, egress } = bench();
      await expect(push.open(sessionOf(), 'primary', { ...REQUEST, notificationUrl })).rejects.toThrow(
        NotificationUrlUnreachable,
      );
      expect(egress.lines).not.toContain(WATCH);
    },
  );

  it.each<Scripted>(['timeout', 'reset', refusal(503, 'backendError'), { text: '{"kind":' }])(
    'F26 never asks again with the same id after %j',
    async (failure) => {
      const { open, egress } = bench(failure, { json: OPENED });
      await expect(open()).rejects.toMatchObject({ name: 'DomainError' });
      expect(egress.lines.filter((line) => line === WATCH)).toHaveLength(1);
    },
  );

  it('F24 asks again after a rate limit, when nothing was done', async () => {
    const { open, clock } = bench(refusal(403, 'rateLimitExceeded'), { json: OPENED });
    expect(await open()).toMatchObject({ subscriptionId: REQUEST.channelId });
    expect(clock.waits).toEqual([2_000]);
  });

  it.each(['', '..', 'a\u0000b'])('N19 knows that there is no calendar %j', async (calendarId) => {
    const { push, egress } = bench();
    await expect(push.open(sessionOf(), calendarId, REQUEST)).rejects.toMatchObject({ code: 'NotFound' });
    expect(egress.requests).toEqual([]);
  });
});

describe('a channel of Google', () => {
  it('cannot be renewed, which costs nothing', async () => {
    const { push, egress } = bench();
    expect(await push.renew(sessionOf(), CHANNEL)).toBeNull();
    expect(egress.requests).toEqual([]);
  });

  it.each<Scripted>([{ status: 204 }, refusal(404, 'notFound'), refusal(410, 'deleted')])(
    'is stopped when Google says %j',
    async (response) => {
      const { push, egress } = bench();
      egress.on(STOP, response);
      await push.stop(sessionOf(), CHANNEL);
      expect(egress.lines).toEqual([STOP]);
      expect(egress.bodies).toEqual([{ id: REQUEST.channelId, resourceId: CHANNEL.resourceId }]);
    },
  );

  it('is over when Google does not let it be stopped, and lets the account in all the same', async () => {
    const { push, egress } = bench();
    egress.on(STOP, refusal(401, 'authError'));
    await push.stop(sessionOf(), CHANNEL);
    expect(egress.lines).toEqual([STOP, `${LIST}?maxResults=1&fields=kind`]);
  });

  it('is not stopped with access that Google does not accept', async () => {
    const { push, egress } = bench();
    egress.on(STOP, refusal(401, 'authError')).on(LIST, refusal(401, 'authError'));
    await expect(push.stop(sessionOf(), CHANNEL)).rejects.toMatchObject({ code: 'CredentialsRejected' });
  });

  it('F25 is stopped at the second try', async () => {
    const { push, egress } = bench();
    egress.on(STOP, 'reset', refusal(404, 'notFound'));
    await push.stop(sessionOf(), CHANNEL);
    expect(egress.lines).toEqual([STOP, STOP]);
  });

  it.each<[Scripted, string]>([
    [refusal(403, 'forbidden'), 'Forbidden'],
    [refusal(400, 'required'), 'ProviderRejected'],
  ])('is not taken for stopped after %j', async (response, code) => {
    const { push, egress } = bench();
    egress.on(STOP, response);
    await expect(push.stop(sessionOf(), CHANNEL)).rejects.toMatchObject({ code });
  });
});
