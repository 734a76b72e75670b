import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import {
  DomainError,
  type AccountListQuery,
  type AccountRepository,
  type AccountUpsert,
  type ApplicationRef,
  type AuditEntry,
  type CalendarProvider,
  type CalendarProviders,
  type ConnectRequest,
  type CredentialRepository,
  type Credentials,
  type EndUserAccount,
  type ProviderType,
  type StoredCredential,
  type UnitOfWork,
} from '#domain';
import { SealedTokens, SealingKeys } from '../tokens/sealed-tokens.js';
import { AccountAccess } from './account-access.js';
import { AccountsService } from './accounts.service.js';

const APP: ApplicationRef = { applicationId: 'app' };
const signal = new AbortController().signal;
const NOW = new Date('2026-01-02T03:04:05.678Z');

class OneKey extends SealingKeys {
  readonly key = randomBytes(32);
  override current() {
    return { kid: 'k', key: this.key };
  }
  override byId() {
    return this.key;
  }
}

/** What each provider asks for. */
const CAPABILITIES = {
  CALDAV: { authentication: 'password', needsServerUrl: true },
  APPLE: { authentication: 'password', needsServerUrl: false },
  GOOGLE: { authentication: 'oauth', needsServerUrl: false },
  MICROSOFT: { authentication: 'oauth', needsServerUrl: false },
} as const;

function anAccount(id: string, changes: Partial<EndUserAccount> = {}): EndUserAccount {
  return {
    id,
    applicationId: 'app',
    providerType: 'CALDAV',
    email: `${id}@example.test`,
    externalId: null,
    authorizedScopes: [],
    providerAccountId: null,
    providerId: 'provider',
    status: 'ACTIVE',
    statusReason: null,
    serverUrl: 'https://dav.example/',
    providerState: { secret: 'adapter only' },
    createdAt: NOW,
    updatedAt: NOW,
    ...changes,
  };
}

function world(stock: EndUserAccount[] = []) {
  const steps: string[] = [];
  const connects: ConnectRequest[] = [];
  const upserts: AccountUpsert[] = [];
  const puts: Credentials[] = [];
  const queries: AccountListQuery[] = [];
  const audited: AuditEntry[] = [];
  let inTransaction = false;
  const connected = {
    serverUrl: 'https://dav.example/normalised/',
    providerAccountId: null,
    authorizedScopes: [],
    providerState: { found: true },
  };
  const connect = jest.fn(async (request: ConnectRequest) => {
    steps.push('connect');
    connects.push(request);
    return connected;
  });
  const accounts = {
    async upsert(_application: ApplicationRef, account: AccountUpsert) {
      steps.push(inTransaction ? 'upsert in transaction' : 'upsert');
      upserts.push(account);
      return { account: anAccount('a', { ...account, externalId: account.externalId ?? null }), created: true };
    },
    async getOwned(_application: ApplicationRef, id: string) {
      const found = stock.find((account) => account.id === id);
      if (found === undefined) throw new DomainError('NotFound', 'none');
      return found;
    },
    async list(_application: ApplicationRef, query: AccountListQuery) {
      queries.push(query);
      const from = query.after === null ? 0 : stock.findIndex(({ id }) => id === query.after!.id) + 1;
      return stock.slice(from, from + query.limit);
    },
    delete: jest.fn(async (_application: ApplicationRef, id: string) => stock.some((account) => account.id === id)),
  };
  const credentials = {
    stored: { kind: 'password', password: 'hidden' } as Credentials,
    async put(_application: ApplicationRef, _id: string, given: Credentials) {
      steps.push(inTransaction ? 'put in transaction' : 'put');
      puts.push(given);
    },
    async get() {
      return {
        id: 'credential',
        endUserAccountId: 'a',
        credentials: credentials.stored,
        rowVersion: 1,
        createdAt: NOW,
        updatedAt: NOW,
      } as StoredCredential;
    },
  };
  const providers = {
    for: (type: ProviderType) => ({ type, capabilities: CAPABILITIES[type], connect }) as unknown as CalendarProvider,
  } as CalendarProviders;
  const unitOfWork = {
    async run(_application: ApplicationRef, work: () => Promise<unknown>) {
      inTransaction = true;
      return work().finally(() => (inTransaction = false));
    },
  };
  const audit = { record: jest.fn(async (entry: AuditEntry) => void audited.push(entry)) };
  const asRepository = accounts as unknown as AccountRepository;
  const asCredentials = credentials as unknown as CredentialRepository;
  const service = new AccountsService(
    asRepository,
    asCredentials,
    providers,
    new AccountAccess(asRepository, asCredentials, providers),
    new SealedTokens(new OneKey()),
    audit,
    unitOfWork as unknown as UnitOfWork,
  );
  return { service, steps, connect, connects, upserts, puts, queries, audit, audited, credentials, accounts };
}

const details = (path: string) => ({ code: 'ValidationFailed', details: [expect.objectContaining({ path })] });

describe('AccountsService.upsert', () => {
  it('connects first, then stores account and credentials in one transaction', async () => {
    const { service, steps, connects, upserts, puts } = world();
    const view = await service.upsert(
      APP,
      { providerType: 'CALDAV', email: ' alice ', password: 'p', serverUrl: ' dav.example ', externalId: 'x' },
      signal,
    );
    expect(steps).toEqual(['connect', 'upsert in transaction', 'put in transaction']);
    expect(connects[0]).toEqual({
      applicationId: 'app',
      email: 'alice',
      serverUrl: 'dav.example',
      credentials: { kind: 'password', password: 'p' },
      signal,
    });
    expect(upserts[0]).toMatchObject({
      email: 'alice',
      externalId: 'x',
      serverUrl: 'https://dav.example/normalised/',
      providerState: { found: true },
    });
    expect(puts).toEqual([{ kind: 'password', password: 'p' }]);
    expect(view).toEqual({
      id: 'a',
      createdAt: '2026-01-02T03:04:05.678Z',
      updatedAt: '2026-01-02T03:04:05.678Z',
      email: 'alice',
      externalId: 'x',
      authorizedScopes: [],
      providerAccountId: null,
      providerId: 'provider',
      applicationId: 'app',
      status: 'ACTIVE',
      providerType: 'CALDAV',
      serverUrl: 'https://dav.example/normalised/',
    });
  });

  it('leaves an externalId that is not given to what is stored, and shows none as an empty text', async () => {
    const { service, upserts } = world();
    const view = await service.upsert(APP, { providerType: 'APPLE', email: 'a@b', password: 'p' }, signal);
    expect(upserts[0]!.externalId).toBeUndefined();
    expect(view.externalId).toBe('');
    await service.upsert(APP, { providerType: 'APPLE', email: 'a@b', password: 'p', externalId: null }, signal);
    expect(upserts[1]!.externalId).toBeNull();
  });

  it('ignores serverUrl where the provider needs none, and the other kind of credentials', async () => {
    const { service, connects, puts } = world();
    const both = { email: 'a@b', password: 'p', refreshToken: 'r', serverUrl: 'https://evil.example/' };
    await service.upsert(APP, { providerType: 'APPLE', ...both }, signal);
    await service.upsert(APP, { providerType: 'GOOGLE', ...both }, signal);
    expect(connects.map(({ serverUrl }) => serverUrl)).toEqual([null, null]);
    expect(puts).toEqual([
      { kind: 'password', password: 'p' },
      { kind: 'oauth', accessToken: '', refreshToken: 'r', expiresAt: null },
    ]);
  });

  it.each([
    ['CALDAV', { password: 'p' }, 'serverUrl'],
    ['CALDAV', { password: 'p', serverUrl: '  ' }, 'serverUrl'],
    ['CALDAV', { password: 'p', serverUrl: null }, 'serverUrl'],
    ['CALDAV', { serverUrl: 'dav.example' }, 'password'],
    ['CALDAV', { serverUrl: 'dav.example', refreshToken: 'r' }, 'password'],
    ['APPLE', { password: '' }, 'password'],
    ['APPLE', { password: null }, 'password'],
    ['GOOGLE', { password: 'p' }, 'refreshToken'],
    ['MICROSOFT', { refreshToken: '' }, 'refreshToken'],
  ] as const)(
    '%s with %j is refused naming %s, before anything is asked or stored',
    async (providerType, given, path) => {
      const { service, steps } = world();
      await expect(service.upsert(APP, { providerType, email: 'a@b', ...given }, signal)).rejects.toMatchObject(
        details(path),
      );
      expect(steps).toEqual([]);
    },
  );

  it.each(['CredentialsRejected', 'ServerNotAllowed', 'ProviderUnavailable', 'ProviderRateLimited'] as const)(
    'stores nothing when connecting ends in %s',
    async (code) => {
      const { service, connect, upserts, puts } = world();
      const error = new DomainError(code, 'no');
      connect.mockRejectedValue(error);
      const request = { providerType: 'APPLE', email: 'a@b', password: 'p' } as const;
      await expect(service.connectWithPassword(APP, request, signal)).rejects.toBe(error);
      expect([upserts, puts]).toEqual([[], []]);
    },
  );
});

describe('AccountsService.list', () => {
  const stock = ['e', 'd', 'c', 'b', 'a'].map((id) => anAccount(id));

  it('asks for one more than a page, so that the last page is never empty', async () => {
    const { service, queries } = world(stock.slice(0, 4));
    const first = await service.list(APP, { limit: 2 });
    const second = await service.list(APP, { limit: 2, pageToken: first.nextPageToken! });
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(['e', 'd', 'c', 'b']);
    expect(second.nextPageToken).toBeNull();
    expect(queries.map(({ limit }) => limit)).toEqual([3, 3]);
    expect(queries[1]!.after).toEqual({ createdAt: NOW, id: 'd' });
  });

  it('has a size of 50, and of 200 at most', async () => {
    const { service, queries } = world();
    await service.list(APP, {});
    await service.list(APP, { limit: 1_000_000 });
    expect(queries.map(({ limit }) => limit)).toEqual([51, 201]);
  });

  it.each([0, -1, 1.5, Number.NaN])('N15 refuses a limit of %s', async (limit) => {
    await expect(world().service.list(APP, { limit })).rejects.toMatchObject(details('limit'));
  });

  it.each([
    [{}, null, null],
    [{ search: '' }, null, null],
    [{ search: '%_', statusFilter: 'active' }, '%_', 'ACTIVE'],
    [{ statusFilter: 'expired' }, null, 'EXPIRED'],
  ] as const)('%j asks for search %s and status %s', async (request, search, status) => {
    const { service, queries } = world();
    await service.list(APP, request);
    expect(queries[0]).toMatchObject({ search, status, after: null });
  });

  it('N16 takes a page token for its own search, filter and application only', async () => {
    const { service } = world(stock);
    const { nextPageToken } = await service.list(APP, { limit: 1, search: 'x', statusFilter: 'active' });
    const again = { pageToken: nextPageToken!, search: 'x', statusFilter: 'active' } as const;
    await expect(service.list(APP, again)).resolves.toBeDefined();
    for (const other of [{ search: 'y' }, { search: undefined }, { statusFilter: undefined }]) {
      await expect(service.list(APP, { ...again, ...other })).rejects.toMatchObject({ code: 'PageTokenInvalid' });
    }
    await expect(service.list({ applicationId: 'other' }, again)).rejects.toMatchObject({ code: 'PageTokenInvalid' });
  });
});

describe('AccountsService.credentials', () => {
  const by = { actor: 'api-key:k', requestId: 'r' };

  it('never gives a password out, and records who asked', async () => {
    const { service, audited } = world([anAccount('a')]);
    const view = await service.credentials(APP, 'a', by);
    expect(view).toEqual({
      id: 'credential',
      endUserAccountId: 'a',
      accessToken: null,
      refreshToken: null,
      expiresAt: null,
      status: 'ACTIVE',
      createdAt: '2026-01-02T03:04:05.678Z',
      updatedAt: '2026-01-02T03:04:05.678Z',
    });
    expect(audited).toEqual([
      {
        applicationId: 'app',
        actor: 'api-key:k',
        action: 'credentials.read',
        subject: 'end-user-account:a',
        requestId: 'r',
      },
    ]);
  });

  it('gives tokens out', async () => {
    const { service, credentials } = world([anAccount('a', { providerType: 'GOOGLE' })]);
    credentials.stored = { kind: 'oauth', accessToken: 'at', refreshToken: 'rt', expiresAt: NOW };
    expect(await service.credentials(APP, 'a', by)).toMatchObject({
      accessToken: 'at',
      refreshToken: 'rt',
      expiresAt: '2026-01-02T03:04:05.678Z',
    });
  });

  it('gives nothing out when it cannot be recorded', async () => {
    const { service, audit } = world([anAccount('a')]);
    audit.record.mockRejectedValue(new Error('database away'));
    await expect(service.credentials(APP, 'a', by)).rejects.toThrow('database away');
  });

  it('of an EXPIRED account are refused, and nothing is recorded', async () => {
    const { service, audited } = world([anAccount('a', { status: 'EXPIRED' })]);
    await expect(service.credentials(APP, 'a', by)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
    expect(audited).toEqual([]);
  });
});

describe('AccountsService.get and delete', () => {
  it('show and delete an EXPIRED account too', async () => {
    const { service, accounts } = world([anAccount('a', { status: 'EXPIRED' })]);
    expect(await service.get(APP, 'a')).toMatchObject({ id: 'a', status: 'EXPIRED' });
    expect(await service.delete(APP, 'a')).toEqual({
      message: expect.any(String),
      ok: true,
      success: true,
    });
    expect(accounts.delete).toHaveBeenCalledWith(APP, 'a');
  });

  it('are NotFound for an unknown id, also when somebody else was faster', async () => {
    const { service, accounts } = world([anAccount('a')]);
    await expect(service.get(APP, 'b')).rejects.toMatchObject({ code: 'NotFound' });
    await expect(service.delete(APP, 'b')).rejects.toMatchObject({ code: 'NotFound' });
    accounts.delete.mockResolvedValue(false);
    await expect(service.delete(APP, 'a')).rejects.toMatchObject({ code: 'NotFound' });
  });
});
