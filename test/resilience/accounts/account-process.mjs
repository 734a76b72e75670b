// One process of the service, reduced to its accounts: the test that forked it says what to do, and when.
import 'reflect-metadata';
import { URLSearchParams } from 'node:url';
import { NestFactory } from '@nestjs/core';
import { AccountsModule, AccountAccess, CredentialsService } from '#application/accounts';
import { applicationSettings } from '#application/system';
import { AuthorizationServer } from '#domain/oauth';
import { CalendarProviders } from '#domain/providers';
import { DomainError } from '#domain/system';
import { KeyRing, PersistenceModule } from '#persistence';

const { DATABASE_URL, ENCRYPTION_KEYS, TOKEN_URL, CLIENT_ID, CLIENT_SECRET } = process.env;

/** When set, a refresh that was answered waits for the word of the test. */
let holdResponses = false;
let goOn = () => undefined;

/** RFC 6749 §6 against the token endpoint of the test. */
class TestAuthorization extends AuthorizationServer {
  defaultScopes = ['calendar'];

  async refresh({ refreshToken, signal }) {
    const response = await fetch(TOKEN_URL, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
      signal,
    });
    const body = await response.json();
    if (holdResponses) {
      await new Promise((resolve) => {
        goOn = resolve;
        process.send({ answered: true });
      });
    }
    if (!response.ok) {
      const error = { status: response.status, code: body.error, message: 'refused', retryable: false };
      return { state: 'grant-rejected', reason: 'invalid_grant', error };
    }
    const expiresAt = new Date(Date.now() + body.expires_in * 1_000);
    const tokens = { accessToken: body.access_token, refreshToken: body.refresh_token ?? null, expiresAt };
    return { state: 'granted', tokens: { ...tokens, scopes: null, identity: null } };
  }
}

const authorization = new TestAuthorization();
/** Credentials are the same for all providers with tokens: this one is any of them. */
const provider = (type) => ({ type, capabilities: { authentication: 'oauth', needsServerUrl: false }, authorization });
const providers = { for: provider, all: () => ['GOOGLE', 'MICROSOFT'].map(provider) };

const client = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
const settings = applicationSettings({
  publicUrl: 'http://localhost:3000',
  providers: { GOOGLE: client, MICROSOFT: client },
  requestHistoryDays: 0,
});

const app = await NestFactory.createApplicationContext(
  {
    module: class AccountProcess {},
    imports: [
      PersistenceModule.forRoot({ databaseUrl: DATABASE_URL, keyRing: KeyRing.parse(ENCRYPTION_KEYS) }),
      {
        module: class TestProviders {},
        global: true,
        providers: [{ provide: CalendarProviders, useValue: providers }, ...settings],
        exports: [CalendarProviders, ...settings],
      },
      AccountsModule,
    ],
  },
  { logger: false },
);
const [access, credentials] = [
  app.get(AccountAccess, { strict: false }),
  app.get(CredentialsService, { strict: false }),
];

/** What each of many calls at once comes to: an access token, or the code of an error. */
async function use({ application, accountId, calls }) {
  const signal = AbortSignal.timeout(60_000);
  const account = await access.getActive(application, accountId);
  const settled = await Promise.allSettled(Array.from({ length: calls }, () => credentials.getFresh(account, signal)));
  return settled.map(({ value, reason }) => {
    if (value !== undefined) return value.credentials.accessToken;
    return reason instanceof DomainError ? reason.code : String(reason);
  });
}

process.on('message', async (message) => {
  if (message.holdResponses !== undefined) holdResponses = message.holdResponses;
  if (message.goOn) goOn();
  if (message.use) process.send({ outcomes: await use(message.use) });
  if (message.end) {
    await app.close();
    process.disconnect();
  }
});
process.send({ ready: true });
