import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DomainError, type ErrorCode, type TokenDecision } from '#domain';
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

const connect = (world: AccountsFixture, request: UpsertAccount) =>
  world.connections.connect(APP, request, signal, ACTOR);

/** Nothing of the attempt was kept. */
const expectNothing = (world: AccountsFixture) => {
  expect(world.accounts.rows.size).toBe(0);
  expect(world.credentials.rows.size).toBe(0);
  expect(world.outbox.messages).toEqual([]);
};

describe('connecting with a password', () => {
  it('proves it first, and stores account, credentials and event together', async () => {
    const world = accountsFixture();
    const account = await connect(world, { ...ALICE, email: ' alice ', serverUrl: ' dav.example ', externalId: 'x' });
    expect(world.connects).toEqual([
      {
        applicationId: 'app',
        email: 'alice',
        serverUrl: 'dav.example',
        credentials: { kind: 'password', password: 'p' },
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
    expect((await world.credentials.get(APP, account.id)).credentials).toEqual({ kind: 'password', password: 'p' });
    expect(world.outbox.messages).toEqual([
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
    const world = accountsFixture();
    const { id } = await connect(world, ALICE);
    expect((await connect(world, { ...ALICE, password: 'second' })).id).toBe(id);
    expect(world.outbox.told).toEqual([
      ['enduseraccount.created', 'ACTIVE'],
      ['enduseraccount.credential.updated', 'ACTIVE'],
    ]);
  });

  it('again, of an EXPIRED account, tells of the status, too', async () => {
    const world = accountsFixture();
    const { id } = await connect(world, ALICE);
    await world.accounts.setStatus(APP, id, 'EXPIRED', 'password_rejected');
    world.outbox.messages.length = 0;
    await connect(world, { ...ALICE, password: 'second' });
    expect(world.outbox.told).toEqual([
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
    const world = accountsFixture();
    await connect(world, { ...ALICE, externalId: 'x' });
    world.outbox.messages.length = 0;
    const account = await connect(world, request);
    expect(world.outbox.told).toEqual([
      ['enduseraccount.credential.updated', 'ACTIVE'],
      ['enduseraccount.updated', 'ACTIVE'],
    ]);
    expect(world.outbox.messages[1]!.payload).toMatchObject({
      endUserAccountId: account.id,
      externalId: account.externalId ?? '',
    });
    world.outbox.messages.length = 0;
    await connect(world, request);
    expect(world.outbox.told).toEqual([['enduseraccount.credential.updated', 'ACTIVE']]);
  });

  it('again does not tell of the account when nothing is to be seen of the change', async () => {
    const world = accountsFixture();
    await connect(world, ALICE);
    world.outbox.messages.length = 0;
    const proven = world.provider.connect;
    world.provider.connect = async (request) => ({ ...(await proven(request)), providerState: { found: 'elsewhere' } });
    await connect(world, { ...ALICE, externalId: '' });
    await connect(world, { ...ALICE, externalId: null });
    expect(world.outbox.told).toEqual([
      ['enduseraccount.credential.updated', 'ACTIVE'],
      ['enduseraccount.credential.updated', 'ACTIVE'],
    ]);
  });

  it('again, of an EXPIRED account whose externalId is another one, tells of the account once', async () => {
    const world = accountsFixture();
    const { id } = await connect(world, { ...ALICE, externalId: 'x' });
    await world.accounts.setStatus(APP, id, 'EXPIRED', 'password_rejected');
    world.outbox.messages.length = 0;
    await connect(world, renamed);
    expect(world.outbox.told).toEqual([
      ['enduseraccount.credential.updated', 'ACTIVE'],
      ['enduseraccount.updated', 'ACTIVE', 'reconnected'],
    ]);
    expect(world.outbox.messages[1]!.payload).toMatchObject({ externalId: 'y' });
  });

  it('again changes nothing when the account cannot be told of', async () => {
    const world = accountsFixture();
    const { id } = await connect(world, { ...ALICE, externalId: 'x' });
    const append = world.outbox.append.bind(world.outbox);
    world.outbox.append = async (application, message) => {
      if (message.eventType === 'enduseraccount.updated') throw new Error('database away');
      await append(application, message);
    };
    await expect(connect(world, { ...renamed, password: 'second' })).rejects.toThrow('database away');
    expect(await world.accounts.getOwned(APP, id)).toMatchObject({ externalId: 'x' });
    expect((await world.credentials.get(APP, id)).credentials).toMatchObject({ password: 'p' });
    expect(world.outbox.told).toEqual([['enduseraccount.created', 'ACTIVE']]);
  });

  it('stores nothing when a part of it fails', async () => {
    const world = accountsFixture();
    world.outbox.append = async () => Promise.reject(new Error('database away'));
    await expect(connect(world, ALICE)).rejects.toThrow('database away');
    expectNothing(world);
  });

  it('leaves an externalId that is not given to what is stored', async () => {
    const world = accountsFixture();
    await connect(world, { ...ALICE, externalId: 'x' });
    expect((await connect(world, ALICE)).externalId).toBe('x');
    expect((await connect(world, { ...ALICE, externalId: null })).externalId).toBeNull();
  });

  it('ignores serverUrl where the provider needs none, and the other kind of credentials', async () => {
    const world = accountsFixture();
    const both = { email: 'a@b', password: 'p', refreshToken: 'r', serverUrl: 'https://evil.example/' };
    world.authorization.identity = { subject: '1', email: 'a@b' };
    await connect(world, { providerType: 'APPLE', ...both });
    await connect(world, { providerType: 'GOOGLE', ...both });
    expect(world.connects.map(({ serverUrl, credentials }) => [serverUrl, credentials.kind])).toEqual([
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
    const world = accountsFixture();
    await expect(connect(world, { providerType, email: 'a@b', ...given })).rejects.toMatchObject({
      code: 'ValidationFailed',
      details: [expect.objectContaining({ path })],
    });
    expect(world.connects).toEqual([]);
    expect(world.authorization.refreshed).toEqual([]);
    expectNothing(world);
  });

  it.each<ErrorCode>(['CredentialsRejected', 'ServerNotAllowed', 'ProviderUnavailable', 'ProviderRateLimited'])(
    'stores nothing when it ends in %s',
    async (code) => {
      const world = accountsFixture();
      const error = new DomainError(code, 'no');
      world.provider.connect = async () => Promise.reject(error);
      await expect(connect(world, ALICE)).rejects.toBe(error);
      expectNothing(world);
    },
  );
});

describe('connecting with a refresh token', () => {
  const granting = (decide: (world: AccountsFixture) => TokenDecision = ({ authorization }) => authorization.grant()) => {
    const world = accountsFixture();
    world.authorization.identity = IDENTITY;
    world.authorization.decide = () => decide(world);
    return world;
  };

  it('refreshes it at once with the client of the application, and stores what came back', async () => {
    const world = granting(({ authorization }) =>
      authorization.grant({ refreshToken: 'rotated', scopes: ['calendar.readonly'] }),
    );
    const account = await connect(world, { ...GRANTED, externalId: 'x' });
    expect(world.authorization.refreshed).toEqual(['brought']);
    expect(world.authorization.clients).toEqual([CLIENT]);
    expect(world.connects).toMatchObject([
      { grant: { identity: IDENTITY, scopes: ['calendar.readonly'] }, credentials: { accessToken: 'access-1' } },
    ]);
    expect(account).toMatchObject({
      email: 'alice@example.TEST',
      externalId: 'x',
      providerAccountId: '4711',
      authorizedScopes: ['calendar.readonly'],
    });
    expect((await world.credentials.get(APP, account.id)).credentials).toEqual({
      kind: 'oauth',
      clientId: 'client',
      accessToken: 'access-1',
      refreshToken: 'rotated',
      expiresAt: new Date('2026-01-02T04:04:05.678Z'),
    });
    expect(world.outbox.told).toEqual([['enduseraccount.created', 'ACTIVE']]);
  });

  it('keeps the one that was brought when the provider gives no other', async () => {
    const world = granting();
    const account = await connect(world, GRANTED);
    expect((await world.credentials.get(APP, account.id)).credentials).toMatchObject({ refreshToken: 'brought' });
  });

  it("uses the installation's client for an application without one", async () => {
    const world = granting();
    world.ownClients.clients.clear();
    world.shared.set('GOOGLE', { ...CLIENT, clientId: 'installation', scopes: ['calendar.events'] });
    const account = await connect(world, GRANTED);
    expect(world.authorization.clients.map(({ clientId }) => clientId)).toEqual(['installation']);
    expect((await world.credentials.get(APP, account.id)).credentials).toMatchObject({ clientId: 'installation' });
    expect(account.authorizedScopes).toEqual(['calendar.events']);
  });

  it('is not possible without any client, and the sentence says so', async () => {
    const world = granting();
    world.ownClients.clients.clear();
    await expect(connect(world, GRANTED)).rejects.toMatchObject({
      code: 'ValidationFailed',
      message: expect.stringContaining('OAuth client'),
    });
    expect(world.authorization.refreshed).toEqual([]);
  });

  it('that is refused is CredentialsRejected, with what the provider said', async () => {
    const world = granting(() => grantRejected());
    await expect(connect(world, GRANTED)).rejects.toMatchObject({ code: 'CredentialsRejected', provider: FAULT });
    expectNothing(world);
  });

  it("with a client that is refused is the operator's matter", async () => {
    const world = granting(clientRejected);
    await expect(connect(world, GRANTED)).rejects.toMatchObject({
      code: 'ProviderUnavailable',
      message: expect.stringContaining('operator'),
    });
    expect(alarms).toHaveBeenCalledTimes(1);
    expect(world.guard.refusals).toEqual([]);
    expectNothing(world);
  });

  it('tells of the account when other scopes were granted, whatever their order', async () => {
    let scopes = ['calendar', 'openid'];
    const world = granting(({ authorization }) => authorization.grant({ scopes }));
    const told = async () => {
      world.outbox.messages.length = 0;
      await connect(world, GRANTED);
      return world.outbox.told.map(([eventType]: any) => eventType);
    };
    expect(await told()).toEqual(['enduseraccount.created']);
    scopes = ['openid', 'calendar'];
    expect(await told()).toEqual(['enduseraccount.credential.updated']);
    for (scopes of [['calendar'], ['openid'], ['openid', 'calendar']]) {
      expect(await told()).toEqual(['enduseraccount.credential.updated', 'enduseraccount.updated']);
    }
  });

  it('that came with a sign-in tells of the account as well', async () => {
    const world = granting();
    const { id } = await connect(world, GRANTED);
    world.outbox.messages.length = 0;
    const tokens = {
      accessToken: 'access',
      refreshToken: 'refresh',
      expiresAt: new Date('2026-01-02T04:04:05.678Z'),
      scopes: null,
      identity: { ...IDENTITY, email: 'alice.liddell@example.test' },
    };
    const signIn = { providerType: 'GOOGLE', client: CLIENT, tokens, signal } as const;
    expect(await world.grants.store(APP, signIn)).toMatchObject({ id, email: 'alice.liddell@example.test' });
    expect(world.outbox.told).toEqual([
      ['enduseraccount.credential.updated', 'ACTIVE'],
      ['enduseraccount.updated', 'ACTIVE'],
    ]);
  });

  it('is no fault of the caller when nobody can tell now whose it is', async () => {
    const identityError = unavailable();
    const world = granting(({ authorization }) => authorization.grant({ identityError }));
    world.authorization.identity = null;
    await expect(connect(world, GRANTED)).rejects.toBe(identityError);
    expectNothing(world);
    world.authorization.identity = IDENTITY;
    expect(await connect(world, GRANTED)).toMatchObject({ providerAccountId: '4711' });
  });

  it('passes on that nothing was decided', async () => {
    const world = granting(() => {
      throw unavailable();
    });
    await expect(connect(world, GRANTED)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expectNothing(world);
  });

  it.each([
    ['the id token', (world: AccountsFixture) => world.authorization.grant({ identity: IDENTITY }), IDENTITY.email],
    ['the authorization server', (world: AccountsFixture) => world.authorization.grant(), IDENTITY.email],
  ])('refuses one of somebody else, as %s says', async (_, decide) => {
    const world = granting(decide);
    await expect(connect(world, { ...GRANTED, email: 'mallory@example.test' })).rejects.toMatchObject({
      code: 'CredentialsRejected',
    });
    expectNothing(world);
  });

  it('knows a person by every address that the provider vouches for', async () => {
    const world = granting();
    world.authorization.identity = {
      ...IDENTITY,
      otherEmails: ['a.liddell@example.test'],
      aliases: ['mallory@example.test'],
    };
    const known = world.provider.connect;
    world.provider.connect = async (request) => ({ ...(await known(request)), email: 'mailbox@example.test' });
    for (const email of ['A.Liddell@example.test', 'mailbox@Example.test', IDENTITY.email]) {
      expect(await connect(world, { ...GRANTED, email })).toMatchObject({ email: 'mailbox@example.test' });
    }
    await expect(connect(world, { ...GRANTED, email: 'mallory@example.test' })).rejects.toMatchObject({
      code: 'CredentialsRejected',
    });
  });

  it('asks the calendar whose it is when the grant does not allow to ask anybody else', async () => {
    const world = granting();
    world.authorization.identity = null;
    const connectAs = (email: string) => {
      const known = world.provider.connect;
      world.provider.connect = async (request) => {
        expect(request.email).toBe('');
        return { ...(await known(request)), email };
      };
    };
    connectAs('alice@example.test');
    expect(await connect(world, GRANTED)).toMatchObject({ email: 'alice@example.test' });
    connectAs('mallory@example.test');
    await expect(connect(world, GRANTED)).rejects.toMatchObject({ code: 'CredentialsRejected' });
    connectAs('');
    await expect(connect(world, GRANTED)).rejects.toMatchObject({ code: 'CredentialsRejected' });
  });
});

describe('N53 connecting is no way to try passwords', () => {
  it('counts the refusals of a login by the key that asked, however the server is spelt', async () => {
    const world = accountsFixture();
    world.provider.connect = async () => Promise.reject(new DomainError('CredentialsRejected', 'no'));
    const spellings = [
      'dav.example',
      'https://DAV.example/',
      'https://dav.example/x?y',
      ' dav.EXAMPLE/a ',
      'dav.example:443',
    ];
    for (const serverUrl of spellings) {
      await expect(connect(world, { ...ALICE, email: ' ALICE ', serverUrl })).rejects.toMatchObject({
        code: 'CredentialsRejected',
      });
    }
    expect(world.guard.refusals).toEqual(
      spellings.map(() => ({
        applicationId: 'app',
        actor: ACTOR,
        providerType: 'CALDAV',
        login: 'alice dav.example',
      })),
    );
    const tries = world.connects.length;
    await expect(connect(world, ALICE)).rejects.toMatchObject({ code: 'RateLimited' });
    expect(world.connects).toHaveLength(tries);
  });

  it('tells nothing of the right password among too many tries at once', async () => {
    const world = accountsFixture();
    const asked = Promise.withResolvers<void>();
    const proven = world.provider.connect;
    world.provider.connect = async (request) => {
      await asked.promise;
      const { credentials } = request;
      if (credentials.kind === 'password' && credentials.password === ALICE.password) return proven(request);
      throw new DomainError('CredentialsRejected', 'no');
    };
    const wrong = Array.from({ length: 9 }, (_, index) => connect(world, { ...ALICE, password: `guess ${index}` }));
    const right = connect(world, ALICE);
    const outcomes = Promise.allSettled([...wrong, right]);
    asked.resolve();
    const [last] = (await outcomes).slice(-1);
    expect(last).toMatchObject({ status: 'rejected', reason: { code: 'RateLimited' } });
    expect([...world.accounts.rows.values()]).toEqual([]);
  });

  it('counts refresh tokens that are refused, and those of somebody else', async () => {
    const world = accountsFixture();
    world.authorization.identity = IDENTITY;
    world.authorization.decide = () => grantRejected();
    await expect(connect(world, GRANTED)).rejects.toMatchObject({ code: 'CredentialsRejected' });
    world.authorization.decide = () => world.authorization.grant();
    await expect(connect(world, { ...GRANTED, email: 'mallory@x' })).rejects.toMatchObject({
      code: 'CredentialsRejected',
    });
    expect(world.guard.refusals.map(({ login }) => login)).toEqual(['alice@example.test', 'mallory@x']);
  });

  it.each<ErrorCode>(['ServerNotAllowed', 'ProviderUnavailable', 'ProviderTimeout', 'ValidationFailed'])(
    'does not count %s',
    async (code) => {
      const world = accountsFixture();
      world.provider.connect = async () => Promise.reject(new DomainError(code, 'no'));
      await expect(connect(world, ALICE)).rejects.toMatchObject({ code });
      expect(world.guard.refusals).toEqual([]);
    },
  );
});
