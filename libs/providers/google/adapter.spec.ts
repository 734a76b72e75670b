import { inspect } from 'node:util';
import type { CalendarProvider, ConnectRequest } from '#domain/providers';
import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import { googleProvider, type GoogleAdapterParts } from './adapter.js';
import { GoogleAuthorizationServer } from './authorization-server.js';
import { GoogleApiError } from './errors.js';
import { clientOver, refusal, SECRET, sessionOf } from './testing/google-client.js';

const LIST = 'GET /calendar/v3/users/me/calendarList';
const PRIMARY = `${LIST}/primary`;
const P = 'https://www.googleapis.com/auth/';

/** Events that fail as given, whatever is asked of them. */
function failing(error: Error): GoogleAdapterParts['events'] {
  const fail = () => Promise.reject(error);
  return {
    list: fail,
    occurrences: fail,
    get: fail,
    create: fail,
    update: fail,
    delete: fail,
    respond: fail,
  };
}

function providerOver(egress: ScriptedEgress, events = failing(new Error('not asked'))): CalendarProvider {
  const { deps } = clientOver(egress);
  return googleProvider({ ...deps, authorization: new GoogleAuthorizationServer(deps), events });
}

describe('googleProvider', () => {
  it('says what it can do', () => {
    const provider = providerOver(new ScriptedEgress());
    expect(provider.type).toBe('GOOGLE');
    expect(provider.capabilities).toEqual({
      authentication: 'oauth',
      needsServerUrl: false,
      defaultEventPageSize: 400,
      syncExtent: 'calendar',
      requestsPerMinute: 600,
      rejectedTokenEndsGrant: true,
    });
    expect(provider.authorization).toBeInstanceOf(GoogleAuthorizationServer);
  });

  it('verifies an account with the smallest call there is', async () => {
    const egress = new ScriptedEgress().on(LIST, { json: { kind: 'calendar#calendarList' } });
    await providerOver(egress).verify(sessionOf());
    expect(egress.lines).toEqual([`${LIST}?maxResults=1&fields=kind`]);
    egress.on(LIST, refusal(401, 'authError'));
    await expect(providerOver(egress).verify(sessionOf())).rejects.toMatchObject({ code: 'CredentialsRejected' });
  });

  describe('an account with openid', () => {
    const USER_INFO = 'GET /oauth2/v3/userinfo';
    const verified = (egress: ScriptedEgress, authorizedScopes = ['openid', `${P}calendar`]) =>
      providerOver(egress).verify(sessionOf({ authorizedScopes, observer }));
    const heard = { sent: 0, accepted: 0 };
    const observer = { sent: () => (heard.sent += 1), accepted: () => (heard.accepted += 1) };

    beforeEach(() => {
      Object.assign(heard, { sent: 0, accepted: 0 });
    });

    it('is verified without a Calendar request', async () => {
      const egress = new ScriptedEgress().on(USER_INFO, { json: { sub: '1' } });
      expect(await verified(egress)).toBe(true);
      expect(egress.lines).toEqual([USER_INFO]);
      expect(heard).toEqual({ sent: 0, accepted: 1 });
    });

    it.each([401, 403, 404])('leaves a %i to a refresh of the tokens', async (status) => {
      expect(await verified(new ScriptedEgress().on(USER_INFO, { status, json: {} }))).toBe(false);
      expect(heard.accepted).toBe(0);
    });

    it.each([
      [429, 'ProviderRateLimited'],
      [503, 'ProviderUnavailable'],
    ])('decides nothing on a %i', async (status, code) => {
      await expect(verified(new ScriptedEgress().on(USER_INFO, { status, json: {} }))).rejects.toMatchObject({ code });
    });

    it('is left to a refresh without openid', async () => {
      const egress = new ScriptedEgress();
      expect(await verified(egress, [`${P}calendar`])).toBe(false);
      expect(await verified(egress, [])).toBe(false);
      expect(egress.lines).toEqual([]);
    });
  });

  it('T7 never refreshes nor repeats after a 401', async () => {
    const egress = new ScriptedEgress().on(LIST, refusal(401, 'authError'));
    await expect(providerOver(egress).verify(sessionOf())).rejects.toThrow();
    expect(egress.requests).toHaveLength(1);
  });

  it('names the permission that is missing', async () => {
    const egress = new ScriptedEgress().on('POST /calendar/v3/freeBusy', refusal(403, 'insufficientPermissions'));
    const window = { startMs: 0, endMs: 1_000 };
    await expect(
      providerOver(egress).freeBusy(sessionOf(), { window, timeZone: 'UTC', calendarIds: ['a'] }),
    ).rejects.toMatchObject({ code: 'Forbidden', message: expect.stringContaining('see when the calendars are busy') });
  });

  it.each([
    ['reader', 'forbidden', 'ReadOnlyCalendar'],
    ['freeBusyReader', 'forbidden', 'ReadOnlyCalendar'],
    ['writer', 'forbidden', 'Forbidden'],
    ['writer', 'requiredAccessLevel', 'ReadOnlyCalendar'],
    ['reader', 'forbiddenForNonOrganizer', 'Forbidden'],
  ])('tells a %s whose write is refused as %s: %s', async (accessRole, reason, code) => {
    const egress = new ScriptedEgress().on(`${LIST}/c`, { json: { id: 'c', accessRole } });
    const provider = providerOver(egress, failing(new GoogleApiError(403, reason, '', null)));
    await expect(provider.deleteEvent(sessionOf(), 'c', 'e', {})).rejects.toMatchObject({ code });
    await expect(provider.getEvent(sessionOf(), 'c', 'e')).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it.each(['', '.', '..', 'a'.repeat(3_000), 'a\u0000b', '\udfff'])(
    'N19 knows that there is no event %j',
    async (eventId) => {
      const provider = providerOver(new ScriptedEgress());
      for (const work of [
        () => provider.getEvent(sessionOf(), 'c', eventId),
        () => provider.updateEvent(sessionOf(), 'c', eventId, {}, {}),
        () => provider.deleteEvent(sessionOf(), 'c', eventId, {}),
        () => provider.respond(sessionOf(), 'c', eventId, 'accepted', {}),
      ]) {
        await expect(work()).rejects.toMatchObject({ code: 'NotFound' });
      }
    },
  );

  it('lets a mistake of our own pass as one', async () => {
    const provider = providerOver(new ScriptedEgress(), failing(new TypeError('a mistake')));
    await expect(provider.getEvent(sessionOf(), 'c', 'e')).rejects.toThrow(TypeError);
  });

  it.each<Scripted>([
    refusal(400, 'invalid', SECRET),
    refusal(401, 'authError'),
    refusal(503, 'backendError'),
    'reset',
    { text: SECRET },
  ])('N55 leaves no secret in what a caller gets: %j', async (response) => {
    const error = await providerOver(new ScriptedEgress().on(LIST, response))
      .verify(sessionOf())
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'DomainError' });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('canary');
  });
});

describe('connecting a GOOGLE account', () => {
  const IDENTITY = { subject: '108', email: 'mara.field@example.com' };
  const request = (grant: ConnectRequest['grant']): ConnectRequest => ({
    applicationId: 'application',
    email: '',
    serverUrl: null,
    credentials: sessionOf().credentials,
    ...(grant !== undefined && { grant }),
    signal: new AbortController().signal,
  });
  const bench = (response: Scripted = { json: { id: 'primary@example.com' } }) =>
    new ScriptedEgress().on(PRIMARY, response);

  it('proves the access with a real call, and is keyed by the subject', async () => {
    const egress = bench();
    const scopes = ['openid', `${P}calendar`];
    expect(await providerOver(egress).connect(request({ identity: IDENTITY, scopes }))).toEqual({
      email: 'mara.field@example.com',
      serverUrl: null,
      providerAccountId: '108',
      authorizedScopes: scopes,
      providerState: {},
    });
    expect(egress.lines).toEqual([`${PRIMARY}?fields=id`]);
  });

  it('is named by its primary calendar when nobody said who signed in', async () => {
    expect(await providerOver(bench()).connect(request({ identity: null, scopes: [] }))).toMatchObject({
      email: 'primary@example.com',
      providerAccountId: null,
    });
  });

  it('T13 refuses a grant that shows no calendars or no events, without asking', async () => {
    for (const scopes of [
      ['openid'],
      [`${P}calendar.events`],
      [`${P}calendar.calendarlist`, `${P}calendar.freebusy`],
    ]) {
      const egress = bench();
      await expect(providerOver(egress).connect(request({ identity: IDENTITY, scopes }))).rejects.toMatchObject({
        code: 'CredentialsRejected',
        message: expect.stringContaining('permission'),
      });
      expect(egress.requests).toEqual([]);
    }
  });

  it.each([
    [refusal(401, 'authError'), 'CredentialsRejected'],
    [refusal(403, 'insufficientPermissions'), 'CredentialsRejected'],
    [refusal(503, 'backendError'), 'ProviderUnavailable'],
    ['connect', 'ProviderUnavailable'],
    [{ json: {} }, 'ProviderUnavailable'],
  ] as [Scripted, string][])('tells %j as %s', async (response, code) => {
    await expect(
      providerOver(bench(response)).connect(request({ identity: IDENTITY, scopes: [] })),
    ).rejects.toMatchObject({
      code,
    });
  });

  it('refuses a password', async () => {
    const password = { ...request(undefined), credentials: { kind: 'password' as const, password: 'canary' } };
    await expect(providerOver(bench()).connect(password)).rejects.toMatchObject({ code: 'CredentialsRejected' });
  });
});
