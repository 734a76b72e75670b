import { NotificationUrlUnreachable } from '#domain/system';
import { clientOver, NOW_MS, refusal, ROOT, sessionOf } from './testing/microsoft-client.js';
import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import { MicrosoftAuthorizationServer } from './authorization-server.js';
import { microsoftProvider, type MicrosoftAdapterParts } from './adapter.js';

const CALENDAR = 'GET /v1.0/me/calendars/AAMk%3D';
const CREATE = 'POST /v1.0/subscriptions';
const ID = 'cccccccc-0000-4000-8000-000000000001';
const RENEW = `PATCH /v1.0/subscriptions/${ID}`;
const DELETE = `DELETE /v1.0/subscriptions/${ID}`;
const IN_10_000_MINUTES = '2026-11-27T22:40:00.000Z';
const IN_4_200_MINUTES = '2026-11-23T22:00:00.000Z';

const REQUEST = {
  channelId: '5f1c2a3e-0000-4000-8000-00000000c001',
  token: `${'aB3_-'.repeat(8)}xyz`,
  notificationUrl: 'https://api.example.com/api/v1/providers/microsoft/notifications',
  lifecycleUrl: 'https://api.example.com/api/v1/providers/microsoft/lifecycle',
};
const CHANNEL = { subscriptionId: ID, resourceId: null, token: REQUEST.token };

/** As Graph answers. */
const MADE = {
  id: ID,
  resource: 'me/calendars/AAMk=/events',
  changeType: 'created,updated,deleted',
  notificationUrl: REQUEST.notificationUrl,
  expirationDateTime: '2026-11-27T22:40:00.0000000Z',
};
const TOO_LONG = refusal(400, 'InvalidRequest', 'Subscription expiration can only be 4230 minutes in the future.');
const ALREADY_THERE = refusal(409, 'Conflict');

function bench(made: [Scripted, ...Scripted[]] = [{ json: MADE }], calendar: object = {}) {
  const owner = { address: 'ida.berg@fabrikam.example' };
  const egress = new ScriptedEgress()
    .on(CALENDAR, { json: { id: 'AAMk=', owner, ...calendar } })
    .on('GET /v1.0/me/calendar', { json: { id: 'p', isDefaultCalendar: true, owner } })
    .on(CREATE, ...made)
    .on(DELETE, { status: 204 });
  const { deps, budget, slots, clock } = clientOver(egress);
  const authorization = new MicrosoftAuthorizationServer({ egress, nowMs: deps.nowMs, graphUrl: ROOT, loginUrl: ROOT });
  const { push } = microsoftProvider({ ...deps, authorization, events: {} as MicrosoftAdapterParts['events'] });
  const created = () => egress.bodies.filter((_, at) => egress.lines[at] === CREATE);
  const asked = () => egress.lines.filter((line) => !line.startsWith(CALENDAR));
  return {
    egress,
    budget,
    slots,
    clock,
    push: push!,
    created,
    asked,
    open: () => push!.open(sessionOf(), 'AAMk=', REQUEST),
  };
}

describe('opening a channel of Microsoft', () => {
  it('makes a subscription with both addresses and a client state, in a slot and on the account’s budget', async () => {
    const { open, egress, created, budget, slots } = bench();
    expect(await open()).toEqual({ subscriptionId: ID, resourceId: ID, expiresAt: new Date(IN_10_000_MINUTES) });
    expect(created()).toEqual([
      {
        changeType: 'created,updated,deleted',
        resource: 'me/calendars/AAMk=/events',
        notificationUrl: REQUEST.notificationUrl,
        lifecycleNotificationUrl: REQUEST.lifecycleUrl,
        clientState: `${REQUEST.channelId}.${REQUEST.token}`,
        expirationDateTime: IN_10_000_MINUTES,
      },
    ]);
    expect(egress.requests.at(-1)?.headers?.['prefer']).toContain('IdType="ImmutableId"');
    expect([budget.taken, slots.held.length]).toEqual([2, 2]);
  });

  it('asks for less when that much is refused', async () => {
    const expirationDateTime = '2026-11-23T22:00:00Z';
    const { open, created } = bench([TOO_LONG, { json: { ...MADE, expirationDateTime } }]);
    expect(await open()).toMatchObject({ expiresAt: new Date(expirationDateTime) });
    expect(created()).toMatchObject([
      { expirationDateTime: IN_10_000_MINUTES },
      { expirationDateTime: IN_4_200_MINUTES },
    ]);
  });

  it('asks for the default calendar by the name that is promised to work, when its own is refused', async () => {
    const { open, created } = bench([refusal(400, 'ErrorInvalidRequest'), TOO_LONG, { json: MADE }], {
      isDefaultCalendar: true,
    });
    await open();
    expect(created()).toMatchObject([
      { resource: 'me/calendars/AAMk=/events', expirationDateTime: IN_10_000_MINUTES },
      { resource: 'me/events', expirationDateTime: IN_10_000_MINUTES },
      { resource: 'me/events', expirationDateTime: IN_4_200_MINUTES },
    ]);
  });

  it('calls an address that Graph could not validate one that it cannot reach', async () => {
    const { open } = bench([refusal(400, 'ValidationError', 'Subscription validation request failed.')]);
    const failure: unknown = await open().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NotificationUrlUnreachable);
    expect(failure).toMatchObject({ provider: { status: 400, code: 'ValidationError', retryable: false } });
  });

  it.each(['http://calendar.example.com/n', 'https://localhost/n', 'https://10.0.0.7/n', 'https://[::1]:3000/n'])(
    'does not ask for pushes to %s, which Graph cannot reach',
    async (notificationUrl) => {
      const { push, created } = bench();
      await expect(push.open(sessionOf(), 'AAMk=', { ...REQUEST, notificationUrl })).rejects.toThrow(
        NotificationUrlUnreachable,
      );
      expect(created()).toEqual([]);
    },
  );

  it('does not ask at all for a calendar of somebody else', async () => {
    const { open, created } = bench([{ json: MADE }], { owner: { address: 'omar@fabrikam.example' } });
    await expect(open()).rejects.toMatchObject({ code: 'NotSupportedByProvider' });
    expect(created()).toEqual([]);
  });

  it('knows the account by the owner of its default calendar, too', async () => {
    const { open, egress } = bench([{ json: MADE }], { owner: { address: 'ida@smtp.example' } });
    egress.on('GET /v1.0/me/calendar', {
      json: { id: 'p', isDefaultCalendar: true, owner: { address: 'Ida@SMTP.example' } },
    });
    expect(await open()).toMatchObject({ subscriptionId: ID });
  });

  it.each<[string, object]>([
    ['no end', { expirationDateTime: undefined }],
    ['an end in the past', { expirationDateTime: '2026-11-20T00:00:00Z' }],
    ['an end in a thousand years', { expirationDateTime: '3026-11-27T00:00:00Z' }],
    ['an end on no day', { expirationDateTime: '2026-11-31T00:00:00Z' }],
    ['an end on a clock', { expirationDateTime: '2026-11-27T22:40:00+02:00' }],
    ['an end that is a number', { expirationDateTime: NOW_MS + 60_000 }],
  ])('ends a subscription that is answered with %s', async (_, wrong) => {
    const { open, egress } = bench([{ json: { ...MADE, ...wrong } }]);
    await expect(open()).rejects.toMatchObject({ code: 'ProviderUnavailable', provider: { code: 'response-invalid' } });
    expect(egress.lines.at(-1)).toBe(DELETE);
  });

  it.each<unknown>([undefined, '', 7, '../me', 'i'.repeat(129)])('does not take the id %j for one', async (id) => {
    const { open, egress } = bench([{ json: { ...MADE, id } }]);
    await expect(open()).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expect(egress.lines.at(-1)).toBe(CREATE);
  });

  it.each<[string, Scripted, object]>([
    [
      'that we were not reached',
      refusal(400, 'ValidationError', 'Subscription validation request failed.'),
      { code: 'ProviderUnavailable', message: expect.stringContaining('PUBLIC_URL') },
    ],
    [
      'that the mailbox has no room, in the words of Graph',
      refusal(403, 'ExtensionError', 'The mailbox has its maximum of active subscriptions.'),
      { code: 'ProviderRejected', message: expect.stringContaining('maximum of active subscriptions') },
    ],
    [
      'that it is denied',
      refusal(403, 'ErrorAccessDenied'),
      { code: 'Forbidden', message: expect.stringContaining('be told of changes') },
    ],
    ['that the access is too old', refusal(403, 'insufficient_claims'), { code: 'CredentialsRejected' }],
    ['that the access is not accepted', refusal(401, 'InvalidAuthenticationToken'), { code: 'CredentialsRejected' }],
    ['that the calendar is gone', refusal(404, 'ErrorItemNotFound'), { code: 'NotFound' }],
    ['that the id is none', refusal(400, 'ErrorInvalidIdMalformed'), { code: 'NotFound' }],
  ])('tells, without asking again, %s', async (_, response, error) => {
    const { open, created } = bench([response]);
    await expect(open()).rejects.toMatchObject(error);
    expect(created()).toHaveLength(1);
  });

  it('tells in the words of Graph what it refuses in every form', async () => {
    const { open, created } = bench([refusal(400, 'InvalidRequest', 'No such resource.')]);
    await expect(open()).rejects.toMatchObject({
      code: 'ProviderRejected',
      message: 'Microsoft does not accept this: No such resource.',
    });
    expect(created()).toHaveLength(2);
  });

  it.each<Scripted>(['timeout', 'reset', refusal(503, 'serviceNotAvailable'), { text: '{"id":' }])(
    'F26 never asks again for the same after %j',
    async (failure) => {
      const { open, created } = bench([failure, { json: MADE }]);
      await expect(open()).rejects.toMatchObject({ name: 'DomainError' });
      expect(created()).toHaveLength(1);
    },
  );

  it('F24 asks again when it was too early', async () => {
    const { open, clock } = bench([refusal(429, 'ApplicationThrottled', '', { 'retry-after': '2' }), { json: MADE }]);
    expect(await open()).toMatchObject({ subscriptionId: ID });
    expect(clock.waits).toEqual([2_500]);
  });

  it.each(['', '..', 'a\u0000b'])('N19 knows that there is no calendar %j', async (calendarId) => {
    const { push, egress } = bench();
    await expect(push.open(sessionOf(), calendarId, REQUEST)).rejects.toMatchObject({ code: 'NotFound' });
    expect(egress.requests).toEqual([]);
  });
});

describe('a subscription that is there already', () => {
  const LEFT = 'GET /v1.0/subscriptions';
  const others = [
    { ...MADE, id: 'other-calendar', resource: 'me/calendars/AAMkB=/events' },
    { ...MADE, id: 'other-program', notificationUrl: 'https://elsewhere.example/n' },
    { ...MADE, id: 'says-little', resource: null, notificationUrl: null },
  ];

  it('is ended, if it is ours, and made anew', async () => {
    const { open, egress, asked } = bench([ALREADY_THERE, { json: MADE }]);
    egress.on(
      LEFT,
      { json: { value: others, '@odata.nextLink': `${ROOT}/subscriptions?$skiptoken=2` } },
      { json: { value: [MADE] } },
    );
    expect(await open()).toMatchObject({ subscriptionId: ID });
    expect(asked()).toEqual([CREATE, LEFT, `${LEFT}?$skiptoken=2`, DELETE, CREATE]);
  });

  it('is ended under the other name of the default calendar, too', async () => {
    const { open, egress, asked } = bench([ALREADY_THERE, { json: MADE }], { isDefaultCalendar: true });
    egress
      .on(LEFT, { json: { value: [{ ...MADE, resource: 'me/events' }] } })
      .on(DELETE, refusal(404, 'ResourceNotFound'));
    expect(await open()).toMatchObject({ subscriptionId: ID });
    expect(asked()).toEqual([CREATE, LEFT, DELETE, CREATE]);
  });

  it('is told when it cannot be found, or comes back', async () => {
    const { open, egress, created } = bench([ALREADY_THERE]);
    egress.on(LEFT, { json: { value: others } });
    await expect(open()).rejects.toMatchObject({ code: 'Conflict' });
    expect(created()).toHaveLength(2);
  });

  it.each<Scripted>([
    { json: {} },
    { json: { value: [null] } },
    { json: { value: [], '@odata.nextLink': 'https://evil.example/v1.0/subscriptions' } },
    { json: { value: [], '@odata.nextLink': `${ROOT}/subscriptions?$skiptoken=again` } },
  ])('is not looked for in %j', async (list) => {
    const { open, egress } = bench([ALREADY_THERE]);
    egress.on(LEFT, list);
    await expect(open()).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expect(egress.lines.filter((line) => line.startsWith('DELETE'))).toEqual([]);
  });
});

describe('a channel of Microsoft', () => {
  it('F32 is renewed under its id', async () => {
    const { push, egress } = bench();
    egress.on(RENEW, { json: MADE });
    expect(await push.renew(sessionOf(), CHANNEL)).toEqual({
      subscriptionId: ID,
      resourceId: ID,
      expiresAt: new Date(IN_10_000_MINUTES),
    });
    expect(egress.lines).toEqual([RENEW]);
    expect(egress.bodies).toEqual([{ expirationDateTime: IN_10_000_MINUTES }]);
  });

  it('is renewed for less when that much is refused, and again after a failure', async () => {
    const { push, egress } = bench();
    egress.on(RENEW, TOO_LONG, 'reset', { json: MADE });
    expect(await push.renew(sessionOf(), CHANNEL)).toMatchObject({ subscriptionId: ID });
    expect(egress.bodies).toMatchObject([
      { expirationDateTime: IN_10_000_MINUTES },
      { expirationDateTime: IN_4_200_MINUTES },
      { expirationDateTime: IN_4_200_MINUTES },
    ]);
  });

  it('F32 has to be replaced when Graph does not know it any more', async () => {
    const { push, egress } = bench();
    egress.on(RENEW, refusal(404, 'ResourceNotFound'));
    expect(await push.renew(sessionOf(), CHANNEL)).toBeNull();
  });

  it.each<[Scripted, string]>([
    [{ json: { ...MADE, expirationDateTime: '2026-11-20T00:00:00Z' } }, 'ProviderUnavailable'],
    [{ json: { ...MADE, id: 'another' } }, 'ProviderUnavailable'],
    [{ status: 204 }, 'ProviderUnavailable'],
    [refusal(503, 'serviceNotAvailable'), 'ProviderUnavailable'],
    [refusal(401, 'InvalidAuthenticationToken'), 'CredentialsRejected'],
    [refusal(403, 'ErrorAccessDenied'), 'Forbidden'],
  ])('stays as it is after %j', async (response, code) => {
    const { push, egress } = bench();
    egress.on(RENEW, response);
    await expect(push.renew(sessionOf(), CHANNEL)).rejects.toMatchObject({ code });
    expect(egress.lines).not.toContain(DELETE);
  });

  it.each<Scripted>([{ status: 204 }, refusal(404, 'ResourceNotFound'), refusal(410, 'Gone')])(
    'is stopped when Graph says %j',
    async (response) => {
      const { push, egress } = bench();
      egress.on(DELETE, response);
      await push.stop(sessionOf(), CHANNEL);
      expect(egress.lines).toEqual([DELETE]);
    },
  );

  it('is not taken for stopped when Graph does not say so', async () => {
    const { push, egress } = bench();
    egress.on(DELETE, refusal(403, 'ErrorAccessDenied'));
    await expect(push.stop(sessionOf(), CHANNEL)).rejects.toMatchObject({ code: 'Forbidden' });
  });
});
