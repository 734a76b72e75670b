import { jest } from '@jest/globals';
import {
  DomainError,
  type AccountRepository,
  type CalendarProvider,
  type CalendarProviders,
  type CredentialRepository,
  type EndUserAccount,
  type ErrorCode,
  type StoredCredential,
} from '#domain';
import { AccountAccess } from './account-access.js';

const APP = { applicationId: 'app' };
const provider = { type: 'CALDAV' } as CalendarProvider;
const signal = new AbortController().signal;

/** One account whose password has a version; both may change while a test runs. */
function world(status: EndUserAccount['status'] = 'ACTIVE') {
  const account: EndUserAccount = {
    id: 'account',
    applicationId: 'app',
    providerType: 'CALDAV',
    email: 'alice',
    serverUrl: 'https://dav.example/',
    providerState: { version: 1 },
    status,
    externalId: null,
    authorizedScopes: [],
    providerAccountId: null,
    providerId: 'provider',
    statusReason: null,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
  const stored = { password: 'first', version: 1 };
  const accounts = {
    getOwned: jest.fn(async () => ({ ...account })),
    setStatus: jest.fn(async (_application: unknown, _id: string, next: EndUserAccount['status']) => {
      const changes = account.status !== next;
      account.status = next;
      return changes;
    }),
    saveProviderState: jest.fn(async () => undefined),
  };
  const credentials = {
    get: jest.fn(
      async () =>
        ({
          endUserAccountId: 'account',
          credentials: { kind: 'password', password: stored.password },
          rowVersion: stored.version,
        }) as StoredCredential,
    ),
    version: jest.fn(async () => stored.version as number | null),
  };
  const providers = { for: () => provider };
  const access = new AccountAccess(
    accounts as unknown as AccountRepository,
    credentials as unknown as CredentialRepository,
    providers as unknown as CalendarProviders,
  );
  return { account, stored, accounts, credentials, access };
}

const rejected = () => new DomainError('CredentialsRejected', 'no');

describe('AccountAccess', () => {
  it('opens an account with its provider, credentials in clear, and the signal', async () => {
    const { access, accounts } = world();
    const result = await access.use(APP, 'account', signal, async ({ provider: opened, session, account }) => {
      expect(opened).toBe(provider);
      expect(account.id).toBe('account');
      expect(session).toMatchObject({
        applicationId: 'app',
        accountId: 'account',
        email: 'alice',
        serverUrl: 'https://dav.example/',
        credentials: { kind: 'password', password: 'first' },
        providerState: { version: 1 },
        signal,
      });
      await session.saveProviderState({ version: 2 });
      return 'done';
    });
    expect(result).toBe('done');
    expect(accounts.saveProviderState).toHaveBeenCalledWith(APP, 'account', { version: 2 });
  });

  it('refuses an EXPIRED account before credentials or provider are touched', async () => {
    const { access, credentials } = world('EXPIRED');
    const work = jest.fn(async () => undefined);
    await expect(access.use(APP, 'account', signal, work)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
    expect(work).not.toHaveBeenCalled();
    expect(credentials.get).not.toHaveBeenCalled();
  });

  it('passes on that the account is unknown', async () => {
    const { access, accounts } = world();
    accounts.getOwned.mockRejectedValue(new DomainError('NotFound', 'none'));
    await expect(access.use(APP, 'other', signal, async () => 1)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('T16 a confirmed refusal of the credentials makes the account EXPIRED, once, after one call', async () => {
    const { access, account, accounts } = world();
    const work = jest.fn(async () => Promise.reject(rejected()));
    await expect(access.use(APP, 'account', signal, work)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
    expect(work).toHaveBeenCalledTimes(1);
    expect(accounts.setStatus.mock.calls).toEqual([[APP, 'account', 'EXPIRED', 'password_rejected']]);
    expect(account.status).toBe('EXPIRED');
  });

  it('T16 credentials that were replaced meanwhile get their one try, and nothing expires', async () => {
    const { access, stored, accounts } = world();
    const passwords: unknown[] = [];
    const result = await access.use(APP, 'account', signal, async ({ session }) => {
      passwords.push(session.credentials);
      if (passwords.length > 1) return 'done';
      Object.assign(stored, { password: 'second', version: 2 });
      throw rejected();
    });
    expect(result).toBe('done');
    expect(passwords).toEqual([
      { kind: 'password', password: 'first' },
      { kind: 'password', password: 'second' },
    ]);
    expect(accounts.setStatus).not.toHaveBeenCalled();
  });

  it('new credentials that are refused, too, make it EXPIRED', async () => {
    const { access, stored, accounts } = world();
    const work = jest.fn(async () => {
      if (stored.version === 1) Object.assign(stored, { password: 'second', version: 2 });
      throw rejected();
    });
    await expect(access.use(APP, 'account', signal, work)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
    expect(work).toHaveBeenCalledTimes(2);
    expect(accounts.setStatus).toHaveBeenCalledTimes(1);
  });

  it('does not go on for ever when they are replaced again and again', async () => {
    const { access, stored, accounts } = world();
    const work = jest.fn(async () => {
      stored.version += 1;
      throw rejected();
    });
    await expect(access.use(APP, 'account', signal, work)).rejects.toMatchObject({ code: 'CredentialsRejected' });
    expect(work).toHaveBeenCalledTimes(2);
    expect(accounts.setStatus).not.toHaveBeenCalled();
  });

  it('T12 an account that is connected again while it is being expired stays ACTIVE, and is used', async () => {
    const { access, account, stored, accounts } = world();
    accounts.setStatus.mockImplementationOnce(async () => {
      Object.assign(stored, { password: 'second', version: 2 });
      account.status = 'EXPIRED'; // our statement comes last
      return true;
    });
    const result = await access.use(APP, 'account', signal, async ({ session }) => {
      const { credentials } = session;
      if (credentials.kind === 'password' && credentials.password === 'first') throw rejected();
      return 'done';
    });
    expect(result).toBe('done');
    expect(account.status).toBe('ACTIVE');
  });

  it('an account that is deleted meanwhile is NotFound, and gets no status', async () => {
    const { access, accounts, credentials } = world();
    await expect(
      access.use(APP, 'account', signal, async () => {
        credentials.get.mockRejectedValue(new DomainError('NotFound', 'gone'));
        credentials.version.mockResolvedValue(null);
        throw rejected();
      }),
    ).rejects.toMatchObject({ code: 'NotFound' });
    expect(accounts.setStatus).not.toHaveBeenCalled();
  });

  it.each<ErrorCode>([
    'Forbidden',
    'NotFound',
    'ProviderUnavailable',
    'ProviderTimeout',
    'ProviderRateLimited',
    'RateLimited',
    'ServerNotAllowed',
    'ProviderRejected',
    'SyncTokenExpired',
    'InternalServerError',
  ])('T16 %s expires nothing and is not tried again', async (code) => {
    const { access, accounts } = world();
    const error = new DomainError(code, 'no');
    const work = jest.fn(async () => Promise.reject(error));
    await expect(access.use(APP, 'account', signal, work)).rejects.toBe(error);
    expect(work).toHaveBeenCalledTimes(1);
    expect(accounts.setStatus).not.toHaveBeenCalled();
  });

  it('T16 nor does a fault of our own', async () => {
    const { access, accounts } = world();
    const fault = new TypeError('ours');
    await expect(access.use(APP, 'account', signal, async () => Promise.reject(fault))).rejects.toBe(fault);
    expect(accounts.setStatus).not.toHaveBeenCalled();
  });
});
