import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import type { AccountListQuery, EndUserAccount } from '#domain/accounts';
import type { AuditEntry } from '#domain/operator';
import { accountsFixture, APP, MINUTE_MS, signal } from '../../testing/accounts-fixture.js';
import { SealedTokens, SealingKeys } from '../tokens/sealed-tokens.js';
import { AccountsService } from './accounts.service.js';

const ACTOR = 'api-key:k';
const NOW = '2026-01-02T03:04:05.678Z';

class OneKey extends SealingKeys {
  readonly key = randomBytes(32);
  override current() {
    return { kid: 'k', key: this.key };
  }
  override byId() {
    return this.key;
  }
}

function serviceFixture() {
  const fixture = accountsFixture();
  const audited: AuditEntry[] = [];
  const audit = { record: jest.fn(async (entry: AuditEntry) => void audited.push(entry)) };
  const queries: AccountListQuery[] = [];
  const list = fixture.accounts.list.bind(fixture.accounts);
  fixture.accounts.list = async (application, query) => {
    queries.push(query);
    return list(application, query);
  };
  const service = new AccountsService(
    fixture.accounts,
    fixture.connections,
    fixture.deletion,
    fixture.access,
    fixture.credentialsService,
    new SealedTokens(new OneKey()),
    audit,
  );
  return { ...fixture, service, audit, audited, queries };
}

const details = (path: string) => ({ code: 'ValidationFailed', details: [expect.objectContaining({ path })] });

describe('AccountsService.upsert', () => {
  it('shows the account that was connected', async () => {
    const { service } = serviceFixture();
    const view = await service.upsert(
      APP,
      { providerType: 'CALDAV', email: ' alice ', password: 'p', serverUrl: ' dav.example ', externalId: 'x' },
      signal,
      ACTOR,
    );
    expect(view).toEqual({
      id: expect.any(String),
      createdAt: NOW,
      updatedAt: NOW,
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

  it('shows an externalId that was never given as an empty text', async () => {
    const { service } = serviceFixture();
    const request = { providerType: 'APPLE', email: 'a@b', password: 'p' } as const;
    expect((await service.upsert(APP, request, signal, ACTOR)).externalId).toBe('');
  });
});

describe('AccountsService.list', () => {
  const stocked = async (count: number) => {
    const fixture = serviceFixture();
    const accounts: EndUserAccount[] = [];
    for (let made = 0; made < count; made += 1) accounts.push(await fixture.grantedAccount());
    return { ...fixture, ids: accounts.map(({ id }) => id) };
  };

  it('asks for one more than a page, so that the last page is never empty', async () => {
    const { service, queries, ids } = await stocked(4);
    const first = await service.list(APP, { limit: 2 });
    const second = await service.list(APP, { limit: 2, pageToken: first.nextPageToken! });
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
    expect(second.nextPageToken).toBeNull();
    expect(queries.map(({ limit }) => limit)).toEqual([3, 3]);
    expect(queries[1]!.after).toEqual({ createdAt: new Date(NOW), id: ids[1] });
  });

  it('has a size of 50, and of 200 at most', async () => {
    const { service, queries } = serviceFixture();
    await service.list(APP, {});
    await service.list(APP, { limit: 1_000_000 });
    expect(queries.map(({ limit }) => limit)).toEqual([51, 201]);
  });

  it.each([0, -1, 1.5, Number.NaN])('N15 refuses a limit of %s', async (limit) => {
    await expect(serviceFixture().service.list(APP, { limit })).rejects.toMatchObject(details('limit'));
  });

  it.each([
    [{}, null, null],
    [{ search: '' }, null, null],
    [{ search: '%_', statusFilter: 'active' }, '%_', 'ACTIVE'],
    [{ statusFilter: 'expired' }, null, 'EXPIRED'],
  ] as const)('%j asks for search %s and status %s', async (request, search, status) => {
    const { service, queries } = serviceFixture();
    await service.list(APP, request);
    expect(queries[0]).toMatchObject({ search, status, after: null });
  });

  it.each([
    {},
    { search: 'x' },
    { statusFilter: 'active' },
    { search: 'x', statusFilter: 'active' },
    { limit: 2 },
  ] as const)('goes on with the search and the filter of its page token, given with %j', async (repeated) => {
    const { service, queries, ids } = await stocked(5);
    const first = await service.list(APP, { limit: 1, search: 'x', statusFilter: 'active' });
    const second = await service.list(APP, { limit: 1, ...repeated, pageToken: first.nextPageToken! });
    await service.list(APP, { limit: 1, pageToken: second.nextPageToken! });
    const filters = { search: 'x', status: 'ACTIVE' };
    expect(queries).toMatchObject([filters, filters, filters]);
    expect(queries.map(({ after }) => after?.id)).toEqual([undefined, ids[0], second.data.at(-1)!.id]);
  });

  it('N16 takes a page token for its own search, filter and application only', async () => {
    const { service, queries } = await stocked(5);
    const { nextPageToken } = await service.list(APP, { limit: 1, search: 'x', statusFilter: 'active' });
    const { nextPageToken: ofAll } = await service.list(APP, { limit: 1 });
    queries.length = 0;
    const again = { pageToken: nextPageToken!, search: 'x', statusFilter: 'active' } as const;
    for (const other of [{ search: 'y' }, { search: 'X' }, { search: '' }, { statusFilter: 'expired' }] as const) {
      await expect(service.list(APP, { ...again, ...other })).rejects.toMatchObject({ code: 'PageTokenInvalid' });
    }
    for (const narrower of [{ search: 'x' }, { statusFilter: 'active' }] as const) {
      const attempt = service.list(APP, { ...narrower, pageToken: ofAll! });
      await expect(attempt).rejects.toMatchObject({ code: 'PageTokenInvalid' });
    }
    await expect(service.list({ applicationId: 'other' }, again)).rejects.toMatchObject({ code: 'PageTokenInvalid' });
    expect(queries).toEqual([]);
    await expect(service.list(APP, again)).resolves.toBeDefined();
    await expect(service.list(APP, { search: '', pageToken: ofAll! })).resolves.toBeDefined();
  });
});

describe('AccountsService.credentials', () => {
  const by = { actor: ACTOR, requestId: 'r' };

  it('never gives a password out, and records who asked', async () => {
    const { service, audited, passwordAccount } = serviceFixture();
    const { id } = await passwordAccount();
    expect(await service.credentials(APP, id, by, signal)).toEqual({
      id: expect.any(String),
      endUserAccountId: id,
      accessToken: null,
      refreshToken: null,
      expiresAt: null,
      status: 'ACTIVE',
      createdAt: NOW,
      updatedAt: NOW,
    });
    expect(audited).toEqual([
      {
        applicationId: 'app',
        actor: ACTOR,
        action: 'credentials.read',
        subject: `end-user-account:${id}`,
        requestId: 'r',
      },
    ]);
  });

  it('T15 gives out an access token that lives for five minutes more', async () => {
    const { service, time, grantedAccount } = serviceFixture();
    const { id } = await grantedAccount({}, 4 * MINUTE_MS);
    expect(await service.credentials(APP, id, by, signal)).toMatchObject({
      accessToken: 'access-1',
      refreshToken: 'refresh-person-1',
      expiresAt: new Date(time.nowMs() + 60 * MINUTE_MS).toISOString(),
    });
  });

  it('T15 gives out no stale token, and records nothing, when there is no fresh one', async () => {
    const { service, authorization, audited, grantedAccount } = serviceFixture();
    const { id } = await grantedAccount({}, 4 * MINUTE_MS);
    authorization.decide = () => {
      throw new TypeError('ours');
    };
    await expect(service.credentials(APP, id, by, signal)).rejects.toThrow('ours');
    expect(audited).toEqual([]);
  });

  it('gives nothing out when it cannot be recorded', async () => {
    const { service, audit, passwordAccount } = serviceFixture();
    const { id } = await passwordAccount();
    audit.record.mockRejectedValue(new Error('database away'));
    await expect(service.credentials(APP, id, by, signal)).rejects.toThrow('database away');
  });

  it('of an EXPIRED account are refused, and nothing is recorded', async () => {
    const { service, audited, accounts, passwordAccount } = serviceFixture();
    const { id } = await passwordAccount();
    await accounts.setStatus(APP, id, 'EXPIRED', 'password_rejected');
    await expect(service.credentials(APP, id, by, signal)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
    expect(audited).toEqual([]);
  });
});

describe('AccountsService.get and delete', () => {
  it('show and delete an EXPIRED account too', async () => {
    const { service, accounts, passwordAccount } = serviceFixture();
    const { id } = await passwordAccount();
    await accounts.setStatus(APP, id, 'EXPIRED', 'password_rejected');
    expect(await service.get(APP, id)).toMatchObject({ id, status: 'EXPIRED' });
    expect(await service.delete(APP, id)).toEqual({ message: expect.any(String), ok: true, success: true });
    expect(accounts.rows.size).toBe(0);
  });

  it('are NotFound for an unknown id', async () => {
    const { service } = serviceFixture();
    await expect(service.get(APP, 'b')).rejects.toMatchObject({ code: 'NotFound' });
    await expect(service.delete(APP, 'b')).rejects.toMatchObject({ code: 'NotFound' });
  });
});
