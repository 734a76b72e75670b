import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { AccountRegistration } from '#application/accounts';
import { ChannelReconciler } from '#application/channels';
import { applicationSettings } from '#application/system';
import { WebhooksModule } from '#application/webhooks';
import { AccountRepository, CredentialRepository, type Credentials, type EndUserAccount } from '#domain/accounts';
import { ApplicationRepository, type ApplicationRef } from '#domain/applications';
import { ProviderChannelRepository } from '#domain/channels';
import { OAuthClientRepository } from '#domain/oauth';
import { SyncWakeup, SyncedCalendarRepository } from '#domain/sync';
import { WebhookEndpointRepository } from '#domain/webhooks';
import { EgressModule } from '#egress';
import { KeyRing, PersistenceModule } from '#persistence';
import { ConfigModule, loadConfig } from '#platform';
import { PROVIDERS, ProvidersModule, trustedOrigins } from '#providers';
import { AccountDeletion } from '../../libs/application/src/accounts/account-deletion.js';
import { TEST_CLIENT } from './google-service.js';
import { TEST_MICROSOFT_CLIENT } from './microsoft-service.js';
import { asAdmin, createTestDatabase } from './postgres.js';
import { PushReceiver } from './notification-receiver.js';
import { startSandbox, type GrantedTokens, type Sandbox } from './sandbox.js';

export type ChannelProvider = 'GOOGLE' | 'MICROSOFT';

/** One process that sees to channels, on a database that it shares. */
export interface Scheduler {
  reconciler: ChannelReconciler;
  channels: ProviderChannelRepository;
  endpoints: WebhookEndpointRepository;
  syncedCalendars: SyncedCalendarRepository;
  registration: AccountRegistration;
  deletion: AccountDeletion;
  /** Sees to all calendars that are due, until none is. */
  reconcileDue(): Promise<void>;
  /** Ends it in the middle of whatever it does: it writes nothing any more, and asks nobody. */
  kill(): Promise<void>;
}

/** A calendar of somebody at a provider, watched and subscribed to. */
export interface KeptCalendar {
  providerType: ChannelProvider;
  email: string;
  account: EndUserAccount;
  grant: GrantedTokens;
  calendarId: string;
  syncedCalendarId: string;
  subscriptionId: string;
}

/** Schedulers in this process, on a real database and the providers of a sandbox. */
export interface ChannelsFixture {
  application: ApplicationRef;
  sandbox: Sandbox;
  first: Scheduler;
  scheduler(): Promise<Scheduler>;
  /** Somebody new, whose primary calendar is watched and has no subscription yet. */
  syncedCalendar(providerType: ChannelProvider): Promise<Omit<KeptCalendar, 'subscriptionId'>>;
  subscribe(calendar: Pick<KeptCalendar, 'syncedCalendarId'>): Promise<string>;
  /** The same with a subscription and its channel. */
  keptCalendar(providerType: ChannelProvider): Promise<KeptCalendar>;
  credentialsOf(calendar: Pick<KeptCalendar, 'providerType' | 'grant'>): Credentials;
  admin(text: string, values?: unknown[]): Promise<any[]>;
  stop(): Promise<void>;
}

const NO_WAKEUP: SyncWakeup = { wake: () => undefined };

@Module({ providers: [{ provide: SyncWakeup, useValue: NO_WAKEUP }], exports: [SyncWakeup] })
class QuietModule {}

const CLIENTS = { GOOGLE: TEST_CLIENT, MICROSOFT: TEST_MICROSOFT_CLIENT };

export async function startChannelsFixture(): Promise<ChannelsFixture> {
  const [sandbox, database, receiver] = await Promise.all([startSandbox(), createTestDatabase(), PushReceiver.start()]);
  const publicUrl = new URL(receiver.channel().notificationUrl).origin;
  const key = KeyRing.generateEntry('test');
  const config = loadConfig(PROVIDERS, {
    ...sandbox.env,
    NODE_ENV: 'development',
    DATABASE_URL: database.url,
    ENCRYPTION_KEYS: key,
    PUBLIC_URL: publicUrl,
    GOOGLE_REQUESTS_PER_MINUTE: '100000',
    MICROSOFT_REQUESTS_PER_MINUTE: '100000',
  });
  const open: (() => Promise<void>)[] = [];
  const newModule = async () => {
    const module = await Test.createTestingModule({
      imports: [
        PersistenceModule.forRoot({ databaseUrl: database.url, keyRing: KeyRing.parse(key) }),
        EgressModule.forRoot(config.egressAllow, trustedOrigins(config.providers)),
        ProvidersModule.forRoot(config),
        { module: QuietModule, global: true },
        ConfigModule.forRoot(config, applicationSettings(config)),
        WebhooksModule,
      ],
    }).compile();
    module.enableShutdownHooks();
    await module.init();
    let ending: Promise<void> | undefined;
    const close = () => (ending ??= module.close());
    open.push(close);
    const get = <T>(token: abstract new (...given: never[]) => T): T => module.get(token as never, { strict: false });
    return { get, close };
  };
  const scheduler = async (): Promise<Scheduler> => {
    const { get, close } = await newModule();
    const reconciler = get(ChannelReconciler);
    return {
      reconciler,
      channels: get(ProviderChannelRepository),
      endpoints: get(WebhookEndpointRepository),
      syncedCalendars: get(SyncedCalendarRepository),
      registration: get(AccountRegistration),
      deletion: get(AccountDeletion),
      async reconcileDue() {
        for (;;) {
          const due = await reconciler.due(20);
          if (due.length === 0) return;
          await Promise.all(
            due.map((reconciliation) => reconciler.reconcile(reconciliation, new AbortController().signal)),
          );
        }
      },
      kill: close,
    };
  };
  const { get } = await newModule();
  const first = await scheduler();
  const application = { applicationId: (await get(ApplicationRepository).create({ name: 'acme' })).id };
  await sandbox.addClient({ ...TEST_CLIENT, redirectUris: ['http://127.0.0.1/callback'] });
  await sandbox.microsoft.addClient({ ...TEST_MICROSOFT_CLIENT, redirectUris: ['http://127.0.0.1/callback'] });
  for (const providerType of ['GOOGLE', 'MICROSOFT'] as const) {
    await get(OAuthClientRepository).put(application, providerType, {
      ...CLIENTS[providerType],
      scopes: null,
      tenant: null,
    });
  }
  let people = 0;
  const newPerson = async (providerType: ChannelProvider) => {
    people += 1;
    if (providerType === 'GOOGLE') {
      const email = `kept-${people}@example.test`;
      await sandbox.addUser({ email });
      return { email, calendarId: email, grant: await sandbox.grant(email, TEST_CLIENT.clientId) };
    }
    const email = `kept-${people}@contoso.example`;
    await sandbox.microsoft.addUser({ email });
    const { body } = await sandbox.microsoft.act<{ id: string }>({ email, methodId: 'get_me_calendar' });
    return { email, calendarId: body.id, grant: await sandbox.microsoft.grant(email, TEST_MICROSOFT_CLIENT.clientId) };
  };
  const credentialsOf: ChannelsFixture['credentialsOf'] = ({ providerType, grant }) => ({
    kind: 'oauth',
    clientId: CLIENTS[providerType].clientId,
    accessToken: grant.accessToken,
    refreshToken: grant.refreshToken,
    expiresAt: new Date(Date.now() + 3_000_000),
  });
  const subscribe: ChannelsFixture['subscribe'] = async ({ syncedCalendarId }) => {
    const { id } = await get(WebhookEndpointRepository).create(application, {
      syncedCalendarId,
      url: 'https://hooks.example.com/a',
      eventTypes: ['calendar.event.changed'],
      rateLimit: null,
      secrets: { active: 'whsec_active', retiring: [] },
    });
    return id;
  };
  const syncedCalendar: ChannelsFixture['syncedCalendar'] = async (providerType) => {
    const person = await newPerson(providerType);
    const { account } = await get(AccountRepository).upsert(application, {
      providerType,
      email: person.email,
      serverUrl: null,
      authorizedScopes: [],
      providerAccountId: person.email,
      providerState: {},
    });
    await get(CredentialRepository).put(application, account.id, credentialsOf({ providerType, ...person }));
    const syncedCalendars = await get(SyncedCalendarRepository).register(application, account.id, person.calendarId);
    return { providerType, ...person, account, ...syncedCalendars };
  };
  return {
    ...{ application, sandbox, first, scheduler, syncedCalendar, subscribe, credentialsOf },
    async keptCalendar(providerType) {
      const calendar = await syncedCalendar(providerType);
      await first.reconciler.ensure(application, calendar.syncedCalendarId, new AbortController().signal);
      return { ...calendar, subscriptionId: await subscribe(calendar) };
    },
    admin: (text, values = []) =>
      asAdmin(database.adminUrl, async (client) => (await client.query(text, values)).rows as unknown[]),
    async stop() {
      for (const close of open) await close();
      await receiver.close();
      await database.drop();
      await sandbox.stop();
    },
  };
}
