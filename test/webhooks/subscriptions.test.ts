// 31 s: most cases connect an account of their own, which signs in at the sandbox as a browser does.
import { randomUUID } from 'node:crypto';
import { KeyRing } from '#persistence';
import { openPersistence } from '../persistence/persistence.js';
import { backlog } from '../persistence/webhook-fixture.js';
import { dump, expectNowhere } from '../security/canaries.js';
import { connectAccount, startFakeServer, type ConnectedAccount } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import {
  OAUTH_PROVIDERS,
  startOAuthFixture,
  type OAuthProviderType,
  type OAuthFixture,
} from '../support/oauth-subject.js';
import type { Answer, CallOptions } from '../support/service.js';

/** A public address; nothing is sent there, because no worker is running. */
const WEBHOOK_URL = 'https://8.8.8.8/hooks?of=ada';
const NOBODY = '0197a000-0000-7000-8000-000000000000';

let fixture: OAuthFixture;
let fake: FakeCalDav;

beforeAll(async () => {
  fake = await startFakeServer('work');
  fixture = await startOAuthFixture({ EGRESS_ALLOW: fake.egressAllow, RATE_LIMIT_RPS: '100000' });
});

afterEach(() => fixture?.calm());

afterAll(async () => {
  await fixture?.stop();
  await fake?.close();
});

interface Subscriber {
  accountId: string;
  email: string;
  calendarId: string;
  call(method: string, options?: CallOptions): Promise<Answer>;
  subscribe(given?: Record<string, unknown>, headers?: Record<string, string>): Promise<Answer>;
  list(query?: CallOptions['query']): Promise<Answer>;
}

/** Somebody with an account whose calendar can be subscribed to. */
async function newSubscriber(type: OAuthProviderType = 'GOOGLE'): Promise<Subscriber> {
  const email = fixture[type].someone();
  const { accountId } = await fixture[type].connected(email);
  const { body } = await fixture[type].calendars(accountId);
  return subscriber(accountId, email, body.data.find((one: { isPrimary?: boolean }) => one.isPrimary === true).id);
}

function subscriber(accountId: string, email: string, calendarId: string): Subscriber {
  const call: Subscriber['call'] = (method, options) =>
    fixture.service.call(method, `/v1/calendarSubscriptions/${accountId}`, options);
  return {
    ...{ accountId, email, calendarId, call },
    subscribe: (given = {}, headers = {}) =>
      call('POST', { body: { calendarId, webhookUrl: WEBHOOK_URL, ...given }, headers }),
    list: (query = {}) => call('GET', { query }),
  };
}

const admin = (text: string, values: unknown[] = []) => fixture.GOOGLE.admin(text, values);
const codeOf = ({ status, body }: Answer) => [status, body.code];

/** Channels at the provider, of one user or of all. */
async function channelsAt(type: OAuthProviderType, email?: string): Promise<{ id: string; email: string | null }[]> {
  const { sandbox } = fixture;
  const all = await (type === 'GOOGLE' ? sandbox.channels() : sandbox.microsoft.subscriptions());
  return all.filter((channel) => email === undefined || channel.email === email);
}

/** What the database has of an account's subscriptions. */
async function rowsOf(accountId: string): Promise<unknown> {
  const [row] = await admin(
    `select count(distinct w.id)::int as calendars, count(distinct c.id)::int as channels,
            count(distinct e.id)::int as endpoints
       from synced_calendar w left join provider_channel c on c.synced_calendar_id = w.id
       left join webhook_endpoint e on e.synced_calendar_id = w.id where w.end_user_account_id = $1`,
    [accountId],
  );
  return row;
}
/** What opens a channel. */
const CHANNEL_METHODS = { GOOGLE: 'calendar.events.watch', MICROSOFT: 'createSubscription' };

/** What each provider answers when it cannot push to an address. */
const UNREACHABLE: [OAuthProviderType, unknown][] = [
  [
    'GOOGLE',
    { error: { code: 400, message: 'WebHook', errors: [{ domain: 'global', reason: 'push.webhookUrlNotHttps' }] } },
  ],
  ['MICROSOFT', { error: { code: 'ValidationError', message: 'Subscription validation request failed.' } }],
];

const NOTHING = { calendars: 0, channels: 0, endpoints: 0 };

describe.each(OAUTH_PROVIDERS)('a subscription of a %s account', (type) => {
  it('W3 comes with a secret of its own, which is shown once, and a channel of the provider', async () => {
    const one = await newSubscriber(type);
    const made = await one.subscribe();
    expect([made.status, made.body]).toEqual([
      200,
      {
        webhookSubscriptionId: expect.any(String),
        endpointSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        delivery: 'push',
      },
    ]);
    const [channel] = await channelsAt(type, one.email);
    const { body } = await one.list();
    expect(body).toEqual({
      data: [
        {
          id: made.body.webhookSubscriptionId,
          provider: type,
          url: WEBHOOK_URL,
          calendarId: one.calendarId,
          delivery: 'push',
          expiration: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          subscriptionId: channel?.id,
          resourceId: type === 'GOOGLE' ? expect.any(String) : channel?.id,
          endUserAccountId: one.accountId,
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
        },
      ],
      nextPageToken: null,
    });
    expect(Date.parse(body.data[0].expiration)).toBeGreaterThan(Date.now() + 3_600_000);
    const again = await one.subscribe();
    expect(again.body.endpointSecret).not.toBe(made.body.endpointSecret);
    expect(await channelsAt(type, one.email)).toHaveLength(1);
    expect(await rowsOf(one.accountId)).toEqual({ calendars: 1, channels: 1, endpoints: 2 });
    expect((await one.list()).body.data.map(({ subscriptionId }: any) => subscriptionId)).toEqual([
      channel?.id,
      channel?.id,
    ]);
  });

  it('is one of the calendar that an alias stands for', async () => {
    const one = await newSubscriber(type);
    await one.subscribe();
    expect((await one.subscribe({ calendarId: 'primary' })).status).toBe(200);
    expect((await one.list()).body.data.map(({ calendarId }: any) => calendarId)).toEqual([
      one.calendarId,
      one.calendarId,
    ]);
    expect(await channelsAt(type, one.email)).toHaveLength(1);
  });

  it('is not made for a calendar that is not there', async () => {
    const one = await newSubscriber(type);
    expect(codeOf(await one.subscribe({ calendarId: 'nowhere' }))).toEqual([404, 'NotFound']);
    expect(await rowsOf(one.accountId)).toEqual(NOTHING);
  });

  it('ends while the account is EXPIRED, when none can be made', async () => {
    const one = await newSubscriber(type);
    const { body } = await one.subscribe();
    await admin("update end_user_account set status = 'EXPIRED' where id = $1", [one.accountId]);
    expect(codeOf(await one.subscribe())).toEqual([403, 'EndUserAccountExpired']);
    expect((await one.list()).body.data).toHaveLength(1);
    const ended = await one.call('DELETE', { body: { subscriptionId: body.webhookSubscriptionId } });
    expect([ended.status, ended.body]).toEqual([200, { success: true }]);
    expect((await one.list()).body.data).toEqual([]);
  });
});

describe('making subscriptions', () => {
  it.each([
    [{ webhookUrl: 'http://8.8.8.8/hooks' }, 'ValidationFailed'],
    [{ webhookUrl: 'https://user:pass@8.8.8.8/' }, 'ValidationFailed'],
    [{ webhookUrl: 'hooks' }, 'ValidationFailed'],
    [{ webhookUrl: '' }, 'ValidationFailed'],
    [{ webhookUrl: `https://8.8.8.8/${'x'.repeat(2_048)}` }, 'ValidationFailed'],
    [{ webhookUrl: null }, 'ValidationFailed'],
    [{ webhookUrl: ['https://8.8.8.8/'] }, 'ValidationFailed'],
    [{ webhookUrl: 'https://127.0.0.1/hooks' }, 'ServerNotAllowed'],
    [{ webhookUrl: 'https://169.254.169.254/' }, 'ServerNotAllowed'],
    [{ webhookUrl: 'https://nowhere.invalid/' }, 'ServerNotAllowed'],
    [{ rateLimit: 0 }, 'ValidationFailed'],
    [{ rateLimit: -1 }, 'ValidationFailed'],
    [{ rateLimit: 0.5 }, 'ValidationFailed'],
    [{ rateLimit: '5' }, 'ValidationFailed'],
    [{ rateLimit: 'NaN' }, 'ValidationFailed'],
    [{ rateLimit: true }, 'ValidationFailed'],
    [{ calendarId: ' ' }, 'ValidationFailed'],
    [{ calendarId: 5 }, 'ValidationFailed'],
    [{ subscriptionType: 'task' }, 'ValidationFailed'],
    [{ subscriptionType: 'calendar' }, 'ValidationFailed'],
    [{ more: 1 }, 'ValidationFailed'],
  ])('refuses %j', async (given, code) => {
    rejected ??= await newSubscriber();
    const response = await rejected.subscribe(given);
    expect(codeOf(response)).toEqual([400, code]);
    if (code === 'ValidationFailed') expect(response.body.details[0].path).toBe(Object.keys(given)[0]);
    expect(await rowsOf(rejected.accountId)).toEqual(NOTHING);
  });
  let rejected: Subscriber | undefined;

  it('takes a rate of one or more, and none', async () => {
    const one = await newSubscriber();
    for (const rateLimit of [1, 2.5, 100_000, null, undefined]) {
      const { status, body } = await one.subscribe({ rateLimit });
      const read = await fixture.service.call('GET', `/v1/webhookEndpoints/${body.webhookSubscriptionId}`);
      expect([status, read.body.rateLimit]).toEqual([200, rateLimit ?? null]);
      expect(read.body.eventTypes).toEqual(['calendar.event.changed', 'calendar.event.unknown']);
    }
  });

  it('W3 answers a repeated Idempotency-Key with the same subscription and secret; nothing at rest is in clear', async () => {
    const one = await newSubscriber();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await one.subscribe({}, headers);
    const again = await one.subscribe({}, headers);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expect(codeOf(await one.subscribe({ rateLimit: 3 }, headers))).toEqual([422, 'IdempotencyKeyReused']);
    expect((await one.list()).body.data).toHaveLength(1);
    const secrets = { endpointSecret: first.body.endpointSecret.slice('whsec_'.length) };
    expectNowhere(await dump(fixture.service.adminDatabaseUrl), secrets);
    expectNowhere(fixture.service.program.stdout() + fixture.service.program.stderr(), secrets);
    expectNowhere(JSON.stringify((await one.list()).body), secrets);
  });

  it('ends at a hundred of a calendar', async () => {
    const one = await newSubscriber();
    const { body } = await one.subscribe();
    await admin(
      `insert into webhook_endpoint (id, application_id, synced_calendar_id, url, secrets, event_types, created_at, updated_at)
       select gen_random_uuid(), application_id, synced_calendar_id, url, secrets, event_types, created_at, updated_at
         from webhook_endpoint, generate_series(1, 99) where id = $1`,
      [body.webhookSubscriptionId],
    );
    expect(codeOf(await one.subscribe())).toEqual([409, 'Conflict']);
    await one.call('DELETE', { body: { subscriptionId: body.webhookSubscriptionId } });
    expect((await one.subscribe()).status).toBe(200);
    expect(await channelsAt('GOOGLE', one.email)).toHaveLength(1);
  });

  it('is refused for a calendar that Google never tells of, unless the application has its calendars polled', async () => {
    const one = await newSubscriber();
    const { body } = await fixture.GOOGLE.calendars(one.accountId);
    const holidays = body.data.find(({ id }: { id: string }) => id.includes('#holiday@')).id;
    expect(codeOf(await one.subscribe({ calendarId: holidays }))).toEqual([400, 'NotSupportedByProvider']);
    expect(await rowsOf(one.accountId)).toEqual(NOTHING);
    await polling(async () => {
      const { status, body } = await one.subscribe({ calendarId: holidays });
      expect([status, body.delivery]).toEqual([200, 'polled']);
    });
    expect((await one.list()).body.data).toMatchObject([
      { calendarId: holidays, delivery: 'polled', expiration: null, subscriptionId: null, resourceId: null },
    ]);
  });

  it('goes by the application’s choice with CALDAV and APPLE, whatever else is wrong', async () => {
    caldav ??= await connectAccount(fixture.service, fake);
    const { accountId, calendarId } = caldav;
    const one = subscriber(accountId, fake.login.username, calendarId);
    expect(codeOf(await one.subscribe())).toEqual([400, 'NotSupportedByProvider']);
    const unreachable = { webhookUrl: 'https://nowhere.invalid/', calendarId: 'nowhere' };
    expect(codeOf(await one.subscribe(unreachable))).toEqual([400, 'NotSupportedByProvider']);
    expect(await rowsOf(accountId)).toEqual(NOTHING);
    await polling(async () => {
      expect(codeOf(await one.subscribe({ calendarId: 'nowhere' }))).toEqual([404, 'NotFound']);
      const { status, body } = await one.subscribe();
      expect([status, body.delivery]).toEqual([200, 'polled']);
    });
    expect((await one.list()).body.data).toMatchObject([
      { provider: 'CALDAV', calendarId, delivery: 'polled', expiration: null, subscriptionId: null, resourceId: null },
    ]);
  });
  let caldav: ConnectedAccount | undefined;

  it.each(UNREACHABLE)('falls back to polling when %s cannot push to us, where that is allowed', async (type, body) => {
    const one = await newSubscriber(type);
    const [methodId, status] = [CHANNEL_METHODS[type], 400];
    await fixture[type].half.fault({ methodId, email: one.email }, { type: 'status', status, body });
    const rejected = await one.subscribe();
    expect(codeOf(rejected)).toEqual([502, 'ProviderUnavailable']);
    expect(rejected.body.message).toContain('PUBLIC_URL');
    expect(await rowsOf(one.accountId)).toEqual(NOTHING);
    await polling(async () => {
      const made = await one.subscribe();
      expect([made.status, made.body.delivery]).toEqual([200, 'polled']);
      expect((await one.list()).body.data).toMatchObject([{ delivery: 'polled', expiration: null }]);
      expect(await rowsOf(one.accountId)).toEqual({ calendars: 1, channels: 0, endpoints: 1 });

      await fixture[type].half.clearFaults();
      const pushed = await one.subscribe();
      expect([pushed.status, pushed.body.delivery]).toEqual([200, 'push']);
      const deliveries = (await one.list()).body.data.map(({ delivery }: any) => delivery);
      expect(deliveries).toEqual(['push', 'push']);
    });
  });

  async function polling(work: () => Promise<void>): Promise<void> {
    await admin('update application set polls_calendars = true');
    try {
      await work();
    } finally {
      await admin('update application set polls_calendars = false');
    }
  }

  it('of one calendar at the same time makes one channel', async () => {
    const one = await newSubscriber();
    const responses = await Promise.all(Array.from({ length: 6 }, () => one.subscribe()));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    expect(await channelsAt('GOOGLE', one.email)).toHaveLength(1);
    expect(await rowsOf(one.accountId)).toEqual({ calendars: 1, channels: 1, endpoints: 6 });
  });

  it('shows no channel that has ended', async () => {
    const one = await newSubscriber();
    await one.subscribe();
    await admin(
      `update provider_channel set expires_at = now() - interval '1 second' where synced_calendar_id in
       (select id from synced_calendar where end_user_account_id = $1)`,
      [one.accountId],
    );
    expect((await one.list()).body.data).toMatchObject([
      { delivery: 'polled', expiration: null, subscriptionId: null, resourceId: null },
    ]);
  });
});

describe('making a subscription that fails on the way', () => {
  const REFUSALS = [
    { type: 'status', status: 500 },
    { type: 'status', status: 503 },
    { type: 'status', status: 403, reason: 'forbidden' },
    { type: 'html' },
    { type: 'reset' },
  ] as const;

  it('W17 leaves neither row nor secret nor channel, 200 times: at the provider, then in the database', async () => {
    const subscribers = await Promise.all(
      [...OAUTH_PROVIDERS, ...OAUTH_PROVIDERS, ...OAUTH_PROVIDERS, ...OAUTH_PROVIDERS].map(async (type) => ({
        type,
        one: await newSubscriber(type),
      })),
    );
    const everywhere = (work: (one: Subscriber, type: OAuthProviderType) => Promise<void>) =>
      Promise.all(subscribers.map(({ one, type }) => work(one, type)));
    const nothingIsLeft = () =>
      everywhere(async (one, type) => {
        expect([await rowsOf(one.accountId), await channelsAt(type, one.email)]).toEqual([NOTHING, []]);
      });
    const failing = async (one: Subscriber, times: number) => {
      for (let count = 0; count < times; count += 1) {
        const { status, body } = await one.subscribe();
        expect([status >= 400, body.endpointSecret]).toEqual([true, undefined]);
      }
    };

    for (const action of REFUSALS) {
      await everywhere(async ({ email }, type) => {
        await fixture[type].half.fault({ methodId: CHANNEL_METHODS[type], email }, action);
      });
      await everywhere((one) => failing(one, 3));
      await fixture.everywhere(({ half }) => half.clearFaults());
    }
    await nothingIsLeft();

    await rejectingRows(() => everywhere((one) => failing(one, 10)));
    await nothingIsLeft();

    await everywhere(async (one, type) => {
      expect((await one.subscribe()).status).toBe(200);
      expect(await channelsAt(type, one.email)).toHaveLength(1);
    });
  });

  it('leaves one channel when the answer about the first is lost', async () => {
    await fixture.everywhere(async ({ providerType, half }) => {
      const one = await newSubscriber(providerType);
      await half.fault(
        { methodId: CHANNEL_METHODS[providerType], email: one.email },
        { type: 'lose-response' },
        { times: 1 },
      );
      expect((await one.subscribe()).status).toBe(200);
      expect(await rowsOf(one.accountId)).toMatchObject({ calendars: 1, endpoints: 1 });
      expect((await one.list()).body.data).toMatchObject([{ expiration: expect.any(String) }]);
    });
  });

  it('leaves the subscriptions of others as they are', async () => {
    for (const type of OAUTH_PROVIDERS) {
      const one = await newSubscriber(type);
      await one.subscribe();
      await rejectingRows(async () => expect((await one.subscribe()).status).toBe(500));
      expect(await rowsOf(one.accountId)).toEqual({ calendars: 1, channels: 1, endpoints: 1 });
      expect(await channelsAt(type, one.email)).toHaveLength(1);
    }
  });

  async function rejectingRows(work: () => Promise<unknown>): Promise<void> {
    await admin("create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end'");
    await admin('create trigger refuse before insert on webhook_endpoint for each row execute function refuse()');
    await work();
    await admin('drop function refuse cascade');
  }
});

describe('the list of subscriptions', () => {
  it('comes in pages, whose tokens are of the account', async () => {
    const one = await newSubscriber();
    const made = [];
    for (let count = 0; count < 3; count += 1) made.push((await one.subscribe()).body.webhookSubscriptionId);
    const first = await one.list({ limit: 2 });
    const { nextPageToken: pageToken } = first.body;
    const second = await one.list({ limit: 2, pageToken });
    const ids = [...first.body.data, ...second.body.data].map(({ id }: { id: string }) => id);
    expect([ids, second.body.nextPageToken]).toEqual([made, null]);
    expect((await one.list({ limit: 3 })).body.nextPageToken).toBeNull();
    expect((await one.list({ limit: 9_999 })).body.data).toHaveLength(3);
    const other = await newSubscriber();
    for (const response of [await other.list({ pageToken }), await one.list({ pageToken: 'x' })]) {
      expect(codeOf(response)).toEqual([400, 'PageTokenInvalid']);
    }
    for (const limit of ['0', '-1', '1.5', 'x', '']) {
      expect(codeOf(await one.list({ limit }))).toEqual([400, 'ValidationFailed']);
    }
  });
});

describe('ending a subscription', () => {
  it('takes its id in the body or in the query', async () => {
    const one = await newSubscriber();
    const id = async () => (await one.subscribe()).body.webhookSubscriptionId as string;
    const [inBody, inQuery, inBoth] = [await id(), await id(), await id()];
    for (const options of [
      { body: { subscriptionId: inBody } },
      { query: { subscriptionId: inQuery } },
      { body: { subscriptionId: inBoth }, query: { subscriptionId: inBoth } },
    ]) {
      const { status, body } = await one.call('DELETE', options);
      expect([status, body]).toEqual([200, { success: true }]);
      expect(codeOf(await one.call('DELETE', options))).toEqual([404, 'NotFound']);
    }
    expect((await one.list()).body.data).toEqual([]);
  });

  it('refuses what names none, or two', async () => {
    const one = await newSubscriber();
    const id = (await one.subscribe()).body.webhookSubscriptionId as string;
    for (const options of [
      {},
      { body: {} },
      { body: { subscriptionId: null } },
      { body: { subscriptionId: 5 } },
      { body: { subscriptionId: id }, query: { subscriptionId: NOBODY } },
      { body: { id } },
      { query: { id } },
    ]) {
      expect(codeOf(await one.call('DELETE', options))).toEqual([400, 'ValidationFailed']);
    }
    for (const subscriptionId of [NOBODY, 'x', '']) {
      expect(codeOf(await one.call('DELETE', { body: { subscriptionId } }))).toEqual([404, 'NotFound']);
    }
    expect((await one.list()).body.data).toHaveLength(1);
  });

  it('W13 lets no attempt start that was not under way, with 1,000 messages in the queue', async () => {
    const one = await newSubscriber();
    const id = (await one.subscribe()).body.webhookSubscriptionId as string;
    const persistence = await openPersistence({
      testDatabase: {
        url: fixture.service.env['DATABASE_URL']!,
        adminUrl: fixture.service.adminDatabaseUrl,
        drop: async () => undefined,
      },
      keyRing: KeyRing.parse(fixture.service.env['ENCRYPTION_KEYS']!),
    });
    try {
      const application = { applicationId: fixture.service.applicationId };
      await backlog(persistence, await persistence.endpoints.get(application, id), 1_000);
      const due = await persistence.messages.claimForQueue(1_000);
      expect(due).toHaveLength(1_000);
      const states: string[] = [];
      const claim = async (messages: typeof due) => {
        const ids = messages.map((message) => message.id);
        const claims = await persistence.messages.claim(ids, { leaseMs: 60_000, aheadMs: 0 });
        states.push(...claims.map(({ state }) => state));
      };
      const racing = (async () => {
        while (states.length < 500) await claim(due.slice(states.length, states.length + 5));
      })();
      expect((await one.call('DELETE', { query: { subscriptionId: id } })).status).toBe(200);
      const before = states.length;
      await racing;
      await claim(due.slice(500));
      expect(states).toHaveLength(1_000);
      // A claim that the answer overtook was there before the deletion.
      expect(states.slice(before + 5).filter((state) => state !== 'nothing')).toEqual([]);
    } finally {
      await persistence.close();
    }
  });
});
