import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AccountsService } from '#application/accounts';
import { ApiKeysService, type VerifiedKey } from '#application/applications';
import { CalendarsService } from '#application/calendars';
import { ProviderNotifications } from '#application/channels';
import { EventsService } from '#application/events';
import { FreeBusyService } from '#application/free-busy';
import { ConnectLinksService } from '#application/connect-links';
import { SignInService } from '#application/oauth';
import { RequestHistoryRecorder } from '#application/operator';
import { SubscriptionCreator, CalendarSubscriptions } from '#application/subscriptions';
import { UsageService } from '#application/usage';
import { EndpointMessages, WebhookEndpoints } from '#application/webhooks';
import {
  API_KEY_SCOPES,
  IdempotencyRepository,
  type IdempotencyClaim,
  type IdempotencyKeyScope,
  type StoredResponse,
} from '#domain/applications';
import { DomainError, type CompletedRequest } from '#domain/system';
import { HealthModule, LoggingModule, ReadinessChecks, ServiceState, type ReadinessCheck } from '#platform';
import { ApiModule } from '../../apps/api/src/api.module.js';
import type { ApiSettings } from '../../apps/api/src/api-settings.js';
import { APP_OPTIONS, configureApp, httpAdapterOf } from '../../apps/api/src/create-app.js';
import type { OverloadSettings } from '../../apps/api/src/overload/load-shedder.js';

export const APPLICATION_ID = '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5';
export const KEY = 'uck_live';

const key = (over: Partial<VerifiedKey> = {}): VerifiedKey => ({
  applicationId: APPLICATION_ID,
  keyId: 'key-1',
  scopes: [...API_KEY_SCOPES],
  rateLimitRps: null,
  ...over,
});

/** Keys by their text. */
export const KEYS: Record<string, VerifiedKey> = {
  [KEY]: key(),
  uck_reader: key({ keyId: 'key-2', scopes: ['read'] }),
  uck_writer: key({ keyId: 'key-3', scopes: ['write'] }),
  uck_slow: key({ keyId: 'key-4', rateLimitRps: 2 }),
};

/** As the real service judges them. */
const fakeKeys = {
  verify: async (text: string | undefined): Promise<VerifiedKey> => {
    if (text === undefined || text === '') throw new DomainError('MissingApiKey', 'Send the key.');
    if (text === 'uck_expired') throw new DomainError('ApiKeyExpired', 'It has expired.');
    const found = KEYS[text];
    if (found === undefined) throw new DomainError('InvalidApiKey', 'It is not valid.');
    return found;
  },
};

/** Idempotency records in memory, with the semantics of the port. */
export class MemoryIdempotency extends IdempotencyRepository {
  readonly records = new Map<string, { fingerprint: string; answer?: StoredResponse }>();

  override async claim(scope: IdempotencyKeyScope, fingerprint: string): Promise<IdempotencyClaim> {
    const record = this.records.get(scope.key);
    if (record === undefined) {
      this.records.set(scope.key, { fingerprint });
      return { state: 'claimed', claimId: 'claim' };
    }
    if (record.fingerprint !== fingerprint) return { state: 'mismatch' };
    if (record.answer === undefined) return { state: 'inFlight', retryAfterSeconds: 3 };
    return { state: 'completed', response: record.answer };
  }

  override async complete(scope: IdempotencyKeyScope, _claimId: string, response: StoredResponse): Promise<void> {
    const record = this.records.get(scope.key);
    if (record !== undefined) record.answer = response;
  }

  override async release(scope: IdempotencyKeyScope): Promise<void> {
    this.records.delete(scope.key);
  }
}

type Fake<T> = { [K in keyof T]?: (...args: any[]) => unknown };

/** What the handlers call. Replace a function to see what it is called with. */
export interface Fakes {
  accounts: Fake<AccountsService>;
  calendars: Fake<CalendarsService>;
  events: Fake<EventsService>;
  freeBusy: Fake<FreeBusyService>;
  notifications: Fake<ProviderNotifications>;
  signIns: Fake<SignInService>;
  connectLinks: Fake<ConnectLinksService>;
  idempotency: MemoryIdempotency;
  checks: ReadinessCheck[];
  recorder: { isOn: boolean; record: (request: CompletedRequest) => void; recorded: CompletedRequest[] };
}

@Module({})
class FakeServices {
  static forRoot(fakes: Fakes): DynamicModule {
    const providers = [
      { provide: ApiKeysService, useValue: fakeKeys },
      { provide: AccountsService, useValue: fakes.accounts },
      { provide: CalendarsService, useValue: fakes.calendars },
      ...[SubscriptionCreator, CalendarSubscriptions, EndpointMessages, WebhookEndpoints].map((provide) => ({
        provide,
        useValue: {},
      })),
      { provide: EventsService, useValue: fakes.events },
      { provide: FreeBusyService, useValue: fakes.freeBusy },
      { provide: ProviderNotifications, useValue: fakes.notifications },
      { provide: SignInService, useValue: fakes.signIns },
      { provide: ConnectLinksService, useValue: fakes.connectLinks },
      { provide: UsageService, useValue: {} },
      { provide: IdempotencyRepository, useValue: fakes.idempotency },
      { provide: RequestHistoryRecorder, useValue: fakes.recorder },
    ];
    return { module: FakeServices, providers, exports: providers.map(({ provide }) => provide) };
  }
}

export interface HttpApp {
  app: NestExpressApplication;
  base: string;
  fakes: Fakes;
  state: ServiceState;
  logLines: string[];
  /** Sends the key, unless headers say otherwise. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface CallOptions {
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  raw?: string | Uint8Array;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: any;
}

export async function startHttpApp(settings: Partial<ApiSettings & OverloadSettings> = {}): Promise<HttpApp> {
  const recorded: CompletedRequest[] = [];
  const fakes: Fakes = {
    accounts: {},
    calendars: {},
    events: {},
    freeBusy: {},
    notifications: {},
    signIns: {},
    connectLinks: {},
    idempotency: new MemoryIdempotency(),
    checks: [],
    recorder: { isOn: true, record: (request) => void recorded.push(request), recorded },
  };
  class FakeChecks extends ReadinessChecks {
    override readonly all = fakes.checks;
  }
  const logLines: string[] = [];
  const full = {
    bodyLimitBytes: 65_536,
    publicUrl: 'http://localhost:3000',
    trustProxy: 0,
    rateLimitRps: 100_000,
    requestTimeoutMs: 5_000,
    overloadTargetDelayMs: 0,
    maxRequestsInFlight: 2_000,
    ...settings,
  };
  const testing = await Test.createTestingModule({
    imports: [
      LoggingModule.forRoot({
        service: 'api',
        level: 'info',
        destination: { write: (line) => void logLines.push(line) },
      }),
      HealthModule.forRoot(FakeChecks),
      ApiModule.forRoot(full, [FakeServices.forRoot(fakes)]),
    ],
  }).compile();
  const app = testing.createNestApplication<NestExpressApplication>(httpAdapterOf(full), {
    ...APP_OPTIONS,
    logger: false,
  });
  await configureApp(app, full);
  await app.listen(0, '127.0.0.1');
  const state = app.get(ServiceState);
  state.started();
  const base = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  return {
    app,
    base,
    fakes,
    state,
    logLines,
    call: (method, path, options = {}) => call(base, method, path, options),
    close: () => app.close(),
  };
}

async function call(base: string, method: string, path: string, { headers, body, raw }: CallOptions): Promise<Answer> {
  const response = await globalThis.fetch(base + path, {
    method,
    headers: {
      'x-api-key': KEY,
      ...((body !== undefined || raw !== undefined) && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? raw : JSON.stringify(body),
    redirect: 'manual',
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
