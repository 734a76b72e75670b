import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { TokenDecision } from '#domain/oauth';
import { DomainError, type ErrorCode } from '#domain/system';
import {
  accountsFixture,
  APP,
  clientRejected,
  CLIENT,
  FAULT,
  grantRejected,
  signal,
  unavailable,
  type AccountsFixture,
} from '../../testing/accounts-fixture.js';
import type { UpsertAccount } from './account-connector.js';

const alarms = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
beforeEach(() => alarms.mockClear());

const ACTOR = 'api-key:k';
const ALICE = { providerType: 'CALDAV', email: 'alice', password: 'p', serverUrl: 'dav.example' } as const;
const GRANTED = { providerType: 'GOOGLE', email: 'Alice@Example.test', refreshToken: 'brought' } as const;
const IDENTITY = { subject: '4711', email: 'alice@example.TEST' };
/** Of an earlier grant of the same person and client. */
const REVOCATION = {
  ...{ providerType: 'GOOGLE', providerAccountId: IDENTITY.subject },
  ...{ clientId: CLIENT.clientId, token: 'old' },
} as const;

const connect = (fixture: AccountsFixture, request: UpsertAccount) =>
  fixture.connections.connect(APP, request, signal, ACTOR);

/** Nothing of the attempt was kept. */
const expectNothing = (fixture: AccountsFixture) => {
  expect(fixture.accounts.rows.size).toBe(0);
  expect(fixture.credentials.rows.size).toBe(0);
  expect(fixture.outbox.messages).toEqual([]);
};

describe('connecting with a password', () => {
  it('proves it first, and stores account, credentials and event together', async () => {
    const fixture = accountsFixture();
    const account = await connect(fixture, { ...ALICE, email: ' alice ', serverUrl: ' dav.example ', externalId: 'x' });
    expect(fixture.connects).toEqual([
      {
        applicationId: 'app',
        email: 'alice',
        serverUrl: 'dav.example',
        credentials: { kind: 'password', password: 'p' },
        observer: expect.anything(),
        signal,
      },
    ]);
    expect(account).toMatchObject({
      email: 'alice',
      externalId: 'x',
      serverUrl: 'https://dav.example/normalised/',
      providerState: { found: true },
      status: 'ACTIVE',
    });
    expect((await fixture.credentials.get(APP, account.id)).credentials).toEqual({ kind: 'password', password: 'p' });
    expect(fixture.outbox.messages).toEqual([
      {
        eventType: 'enduseraccount.created',
        payload: {
          eventType: 'enduseraccount.created',
          timestamp: '2026-01-02T03:04:05.678Z',
          endUserAccountId: account.id,
          externalId: 'x',
          providerType: 'CALDAV',
          status: 'ACTIVE',
        },
      },
    ]);
  });

  it('again keeps the id, and tells of the credentials', async () => {
    const fixture = accountsFixture();
    const { id } = await connect(fixture, ALICE);
    expect((await connect(fixture, { ...ALICE, password: 'second' })).id).toBe(id);
    expect(fixture.outbox.published).toEqual([
      ['enduseraccount.created', 'ACTIVE'],
      ['enduseraccount.credential.updated', 'ACTIVE'],
    ]);
  });

  it('again, of an EXPIRED account, tells of the status, too', async () => {
    const fixture = accountsFixture();
    const { id } = await connect(fixture, ALICE);
    await fixture.accounts.setStatus(APP, id, 'EXPIRED', 'password_rejected');
    fixture.outbox.messages.length = 0;
    await connect(fixture, { ...ALICE, password: 'second' });
    expect(fixture.outbox.published).toEqual([
      ['enduseraccount.credential.updated', 'ACTIVE'],
      ['enduseraccount.updated', 'ACTIVE', 'reconnected'],
    ]);
  });

  const renamed = { ...ALICE, externalId: 'y' } as const;

  it.each([
    ['the externalId is another one', renamed],
    ['the externalId is taken away', { ...ALICE, externalId: null }],
    ['the address is spelt otherwise', { ...ALICE, email: 'Alice' }],
  ])('again tells of the account once, too, when %s', async (_, request) => {
    const fixture = accountsFixture();
    await connect(fixture, { ...ALICE, externalId: 'x' });
    fixture.outbox.messages.length = 0;
    const account = await connect(fixture, request);
    expect(fixture.outbox.published).toEqual([
      ['enduseraccount.credential.updated', 'ACTIVE'],
      ['enduseraccount.updated', 'ACTIVE'],
    ]);
    expect(fixture.outbox.messages[1]!.payload).toMatchObject({
      endUserAccountId: account.id,
      externalId: account.externalId ?? '',
    });
    fixture.outbox.messages.length = 0;
    await connect(fixture, request);
    expect(fixture.outbox.published).toEqual([['enduseraccount.credential.updated', 'ACTIVE']]);
  });

  it('again does not tell of the account when nothing is to be seen of the change', async () => {
    const fixture = accountsFixture();
    await connect(fixture, ALICE);
    fixture.outbox.messages.length = 0;
    const verified = fixture.provider.connect;
    fixture.provider.connect = async (request) => ({
      ...(await verified(request)),
      providerState: { found: 'elsewhere' },
    });
    await connect(fixture, { ...ALICE, externalId: '' });
    await connect(fixture, { ...ALICE, externalId: null });
    expect(fixture.outbox.published).toEqual([
      ['enduseraccount.credential.updated', 'ACTIVE'],
      ['enduseraccount.credential.updated', 'ACTIVE'],
    ]);
  });

  it('again, of an EXPIRED account whose externalId is another one, tells of the account once', async () => {
    const fixture = accountsFixture();
    const { id } = await connect(fixture, { ...ALICE, externalId: 'x' });
    await fixture.accounts.setStatus(APP, id, 'EXPIRED', 'password_rejected');
    fixture.outbox.messages.length = 0;
    await connect(fixture, renamed);
    expect(fixture.outbox.published).toEqual([
      ['enduseraccount.credential.updated', 'ACTIVE'],
      ['enduseraccount.updated', 'ACTIVE', 'reconnected'],
    ]);
    expect(fixture.outbox.messages[1]!.payload).toMatchObject({ externalId: 'y' });
  });

  it('again changes nothing when the account cannot be told of', async () => {
    const fixture = accountsFixture();
    const { id } = await connect(fixture, { ...ALICE, externalId: 'x' });
    const append = fixture.outbox.append.bind(fixture.outbox);
    fixture.outbox.append = async (application, message) => {
      if (message.eventType === 'enduseraccount.updated') throw new Error('database away');
      await append(application, message);
    };
    await expect(connect(fixture, { ...renamed, password: 'second' })).rejects.toThrow('database away');
    expect(await fixture.accounts.getOwned(APP, id)).toMatchObject({ externalId: 'x' });
    expect((await fixture.credentials.get(APP, id)).credentials).toMatchObject({ password: 'p' });
    expect(fixture.outbox.published).toEqual([['enduseraccount.created', 'ACTIVE']]);
  });

  it('stores nothing when a part of it fails', async () => {
    const fixture = accountsFixture();
    fixture.outbox.append = async () => Promise.reject(new Error('database away'));
    await expect(connect(fixture, ALICE)).rejects.toThrow('database away');
    expectNothing(fixture);
  });

  it('leaves an externalId that is not given to what is stored', async () => {
    const fixture = accountsFixture();
    await connect(fixture, { ...ALICE, externalId: 'x' });
    expect((await connect(fixture, ALICE)).externalId).toBe('x');
    expect((await connect(fixture, { ...ALICE, externalId: null })).externalId).toBeNull();
  });

  it('ignores serverUrl where the provider needs none, and the other kind of credentials', async () => {
    const fixture = accountsFixture();
    const both = { email: 'a@b', password: 'p', refreshToken: 'r', serverUrl: 'https://evil.example/' };
    fixture.authorization.identity = { subject: '1', email: 'a@b' };
    await connect(fixture, { providerType: 'APPLE', ...both });
    await connect(fixture, { providerType: 'GOOGLE', ...both });
    expect(fixture.connects.map(({ serverUrl, credentials }) => [serverUrl, credentials.kind])).toEqual([
      [null, 'password'],
      [null, 'oauth'],
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
  ] as const)('%s with %j is refused naming %s, before anything is asked', async (providerType, given, path) => {
    const fixture = accountsFixture();
    await expect(connect(fixture, { providerType, email: 'a@b', ...given })).rejects.toMatchObject({
      code: 'ValidationFailed',
      details: [expect.objectContaining({ path })],
    });
    expect(fixture.connects).toEqual([]);
    expect(fixture.authorization.refreshed).toEqual([]);
    expectNothing(fixture);
  });

  it.each<ErrorCode>(['CredentialsRejected', 'ServerNotAllowed', 'ProviderUnavailable', 'ProviderRateLimited'])(
    'stores nothing when it ends in %s',
    async (code) => {
      const fixture = accountsFixture();
      const error = new DomainError(code, 'no');
      fixture.provider.connect = async () => Promise.reject(error);
      await expect(connect(fixture, ALICE)).rejects.toBe(error);
      expectNothing(fixture);
    },
  );
});

describe('connecting with a refresh token', () => {
  const granting = (
    decide: (fixture: AccountsFixture) => TokenDecision = ({ authorization }) => authorization.grant(),
  ) => {
    const fixture = accountsFixture();
    fixture.authorization.identity = IDENTITY;
    fixture.authorization.decide = () => decide(fixture);
    return fixture;
  };

  it('refreshes it at once with the client of the application, and stores what came back', async () => {
    const fixture = granting(({ authorization }) =>
      authorization.grant({ refreshToken: 'rotated', scopes: ['calendar.readonly'] }),
    );
    const account = await connect(fixture, { ...GRANTED, externalId: 'x' });
    expect(fixture.authorization.refreshed).toEqual(['brought']);
    expect(fixture.authorization.clients).toEqual([CLIENT]);
    expect(fixture.connects).toMatchObject([
      { grant: { identity: IDENTITY, scopes: ['calendar.readonly'] }, credentials: { accessToken: 'access-1' } },
    ]);
    expect(account).toMatchObject({
      email: 'alice@example.TEST',
      externalId: 'x',
      providerAccountId: '4711',
      authorizedScopes: ['calendar.readonly'],
    });
    expect((await fixture.credentials.get(APP, account.id)).credentials).toEqual({
      kind: 'oauth',
      clientId: 'client',
      accessToken: 'access-1',
      refreshToken: 'rotated',
      expiresAt: new Date('2026-01-02T04:04:05.678Z'),
    });
    expect(fixture.outbox.published).toEqual([['enduseraccount.created', 'ACTIVE']]);
  });

  it('keeps the one that was brought when the provider gives no other', async () => {
    const fixture = granting();
    const account = await connect(fixture, GRANTED);
    expect((await fixture.credentials.get(APP, account.id)).credentials).toMatchObject({ refreshToken: 'brought' });
  });

  it("uses the installation's client for an application without one", async () => {
    const fixture = granting();
    fixture.ownClients.clients.clear();
    fixture.shared.set('GOOGLE', { ...CLIENT, clientId: 'installation', scopes: ['calendar.events'] });
    const account = await connect(fixture, GRANTED);
    expect(fixture.authorization.clients.map(({ clientId }) => clientId)).toEqual(['installation']);
    expect((await fixture.credentials.get(APP, account.id)).credentials).toMatchObject({ clientId: 'installation' });
    expect(account.authorizedScopes).toEqual(['calendar.events']);
  });

  it('is not possible without any client, and the sentence says so', async () => {
    const fixture = granting();
    fixture.ownClients.clients.clear();
    await expect(connect(fixture, GRANTED)).rejects.toMatchObject({
      code: 'ValidationFailed',
      message: expect.stringContaining('OAuth client'),
    });
    expect(fixture.authorization.refreshed).toEqual([]);
  });

  it('that is refused is CredentialsRejected, with what the provider said', async () => {
    const fixture = granting(() => grantRejected());
    await expect(connect(fixture, GRANTED)).rejects.toMatchObject({ code: 'CredentialsRejected', provider: FAULT });
    expectNothing(fixture);
  });

  it('is checked again after the revocation of a deleted account, which ends it too', async () => {
    const fixture = granting();
    const underWay = await fixture.revocations.add(APP, REVOCATION);
    const verified = fixture.provider.connect;
    fixture.provider.connect = async (request) => {
      if (fixture.revocations.rows.size === 0) throw new DomainError('CredentialsRejected', 'The grant has ended.');
      return verified(request);
    };
    const connecting = connect(fixture, GRANTED);
    connecting.catch(() => undefined);
    await fixture.time.pass(500);
    expect(fixture.accounts.rows.size).toBe(0);
    await fixture.revocations.remove(underWay);
    await fixture.time.pass(200);
    await expect(connecting).rejects.toMatchObject({ code: 'CredentialsRejected' });
    expect(fixture.accounts.rows.size).toBe(0);
  });

  it('waits three seconds at most for such a revocation', async () => {
    const fixture = granting();
    await fixture.revocations.add(APP, REVOCATION);
    const connecting = connect(fixture, GRANTED);
    await fixture.time.pass(3_000);
    expect(await connecting).toMatchObject({ status: 'ACTIVE' });
  });

  it("with a client that is refused is the operator's matter", async () => {
    const fixture = granting(clientRejected);
    await expect(connect(fixture, GRANTED)).rejects.toMatchObject({
      code: 'ProviderUnavailable',
      message: expect.stringContaining('operator'),
    });
    expect(alarms).toHaveBeenCalledTimes(1);
    expect(fixture.guard.rejections).toEqual([]);
    expectNothing(fixture);
  });

  it('tells of the account when other scopes were granted, whatever their order', async () => {
    let scopes = ['calendar', 'openid'];
    const fixture = granting(({ authorization }) => authorization.grant({ scopes }));
    const published = async () => {
      fixture.outbox.messages.length = 0;
      await connect(fixture, GRANTED);
      return fixture.outbox.published.map(([eventType]: any) => eventType);
    };
    expect(await published()).toEqual(['enduseraccount.created']);
    scopes = ['openid', 'calendar'];
    expect(await published()).toEqual(['enduseraccount.credential.updated']);
    for (scopes of [['calendar'], ['openid'], ['openid', 'calendar']]) {
      expect(await published()).toEqual(['enduseraccount.credential.updated', 'enduseraccount.updated']);
    }
  });

  it('that came with a sign-in tells of the account as well', async () => {
    const fixture = granting();
    const { id } = await connect(fixture, GRANTED);
    fixture.outbox.messages.length = 0;
    const tokens = {
      accessToken: 'access',
      refreshToken: 'refresh',
      expiresAt: new Date('2026-01-02T04:04:05.678Z'),
      scopes: null,
      identity: { ...IDENTITY, email: 'alice.liddell@example.test' },
    };
    const signIn = { providerType: 'GOOGLE', client: CLIENT, tokens, signal } as const;
    expect(await fixture.grants.store(APP, signIn)).toMatchObject({ id, email: 'alice.liddell@example.test' });
    expect(fixture.outbox.published).toEqual([
      ['enduseraccount.credential.updated', 'ACTIVE'],
      ['enduseraccount.updated', 'ACTIVE'],
    ]);
  });

  it('is no fault of the caller when nobody can tell now whose it is', async () => {
    const identityError = unavailable();
    const fixture = granting(({ authorization }) => authorization.grant({ identityError }));
    fixture.authorization.identity = null;
    await expect(connect(fixture, GRANTED)).rejects.toBe(identityError);
    expectNothing(fixture);
    fixture.authorization.identity = IDENTITY;
    expect(await connect(fixture, GRANTED)).toMatchObject({ providerAccountId: '4711' });
  });

  it('passes on that nothing was decided', async () => {
    const fixture = granting(() => {
      throw unavailable();
    });
    await expect(connect(fixture, GRANTED)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expectNothing(fixture);
  });

  it.each([
    ['the id token', (fixture: AccountsFixture) => fixture.authorization.grant({ identity: IDENTITY }), IDENTITY.email],
    ['the authorization server', (fixture: AccountsFixture) => fixture.authorization.grant(), IDENTITY.email],
  ])('refuses one of somebody else, as %s says', async (_, decide) => {
    const fixture = granting(decide);
    await expect(connect(fixture, { ...GRANTED, email: 'mallory@example.test' })).rejects.toMatchObject({
      code: 'CredentialsRejected',
    });
    expectNothing(fixture);
  });

  it('knows a person by every address that the provider vouches for', async () => {
    const fixture = granting();
    fixture.authorization.identity = {
      ...IDENTITY,
      otherEmails: ['a.liddell@example.test'],
      aliases: ['mallory@example.test'],
    };
    const known = fixture.provider.connect;
    fixture.provider.connect = async (request) => ({ ...(await known(request)), email: 'mailbox@example.test' });
    for (const email of ['A.Liddell@example.test', 'mailbox@Example.test', IDENTITY.email]) {
      expect(await connect(fixture, { ...GRANTED, email })).toMatchObject({ email: 'mailbox@example.test' });
    }
    await expect(connect(fixture, { ...GRANTED, email: 'mallory@example.test' })).rejects.toMatchObject({
      code: 'CredentialsRejected',
    });
  });

  it('asks the calendar whose it is when the grant does not allow to ask anybody else', async () => {
    const fixture = granting();
    fixture.authorization.identity = null;
    const connectAs = (email: string) => {
      const known = fixture.provider.connect;
      fixture.provider.connect = async (request) => {
        expect(request.email).toBe('');
        return { ...(await known(request)), email };
      };
    };
    connectAs('alice@example.test');
    expect(await connect(fixture, GRANTED)).toMatchObject({ email: 'alice@example.test' });
    connectAs('mallory@example.test');
    await expect(connect(fixture, GRANTED)).rejects.toMatchObject({ code: 'CredentialsRejected' });
    connectAs('');
    await expect(connect(fixture, GRANTED)).rejects.toMatchObject({ code: 'CredentialsRejected' });
  });
});

describe('N53 connecting is no way to try passwords', () => {
  it('counts the refusals of a login by the key that asked, however the server is spelt', async () => {
    const fixture = accountsFixture();
    fixture.provider.connect = async () => Promise.reject(new DomainError('CredentialsRejected', 'no'));
    const spellings = [
      'dav.example',
      'https://DAV.example/',
      'https://dav.example/x?y',
      ' dav.EXAMPLE/a ',
      'dav.example:443',
    ];
    for (const serverUrl of spellings) {
      await expect(connect(fixture, { ...ALICE, email: ' ALICE ', serverUrl })).rejects.toMatchObject({
        code: 'CredentialsRejected',
      });
    }
    expect(fixture.guard.rejections).toEqual(
      spellings.map(() => ({
        applicationId: 'app',
        actor: ACTOR,
        providerType: 'CALDAV',
        login: 'alice dav.example',
      })),
    );
    const tries = fixture.connects.length;
    await expect(connect(fixture, ALICE)).rejects.toMatchObject({ code: 'RateLimited' });
    expect(fixture.connects).toHaveLength(tries);
  });

  it('tells nothing of the right password among too many tries at once', async () => {
    const fixture = accountsFixture();
    const asked = Promise.withResolvers<void>();
    const verified = fixture.provider.connect;
    fixture.provider.connect = async (request) => {
      await asked.promise;
      const { credentials } = request;
      if (credentials.kind === 'password' && credentials.password === ALICE.password) return verified(request);
      throw new DomainError('CredentialsRejected', 'no');
    };
    const wrong = Array.from({ length: 9 }, (_, index) => connect(fixture, { ...ALICE, password: `guess ${index}` }));
    const right = connect(fixture, ALICE);
    const outcomes = Promise.allSettled([...wrong, right]);
    asked.resolve();
    const [last] = (await outcomes).slice(-1);
    expect(last).toMatchObject({ status: 'rejected', reason: { code: 'RateLimited' } });
    expect([...fixture.accounts.rows.values()]).toEqual([]);
  });

  it('counts refresh tokens that are refused, and those of somebody else', async () => {
    const fixture = accountsFixture();
    fixture.authorization.identity = IDENTITY;
    fixture.authorization.decide = () => grantRejected();
    await expect(connect(fixture, GRANTED)).rejects.toMatchObject({ code: 'CredentialsRejected' });
    fixture.authorization.decide = () => fixture.authorization.grant();
    await expect(connect(fixture, { ...GRANTED, email: 'mallory@x' })).rejects.toMatchObject({
      code: 'CredentialsRejected',
    });
    expect(fixture.guard.rejections.map(({ login }) => login)).toEqual(['alice@example.test', 'mallory@x']);
  });

  it.each<ErrorCode>(['ServerNotAllowed', 'ProviderUnavailable', 'ProviderTimeout', 'ValidationFailed'])(
    'does not count %s',
    async (code) => {
      const fixture = accountsFixture();
      fixture.provider.connect = async () => Promise.reject(new DomainError(code, 'no'));
      await expect(connect(fixture, ALICE)).rejects.toMatchObject({ code });
      expect(fixture.guard.rejections).toEqual([]);
    },
  );
});
