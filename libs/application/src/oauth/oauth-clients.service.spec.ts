import { jest } from '@jest/globals';
import type { ProviderType } from '#domain/accounts';
import type { OAuthClient, OAuthClientRepository } from '#domain/oauth';
import type { AuditEntry } from '#domain/operator';
import { knownApplications } from '../../testing/known-records.js';
import type { MassExpiryBreaker } from '../accounts/mass-expiry-breaker.js';
import { OAuthClients } from '../accounts/token-refresh.js';
import { OAuthClientsService, type SetOAuthClient } from './oauth-clients.service.js';

function fixture(shared: OAuthClient | null = null) {
  const stored = new Map<ProviderType, OAuthClient>();
  const audited: AuditEntry[] = [];
  const held = new Set<string>();
  const repository: OAuthClientRepository = {
    find: async (_, providerType) => stored.get(providerType) ?? null,
    put: async (_, providerType, client) => void stored.set(providerType, client),
    list: async () =>
      [...stored].map(([providerType, { clientSecret: _secret, ...open }]) => ({ providerType, ...open })),
    remove: async (_, providerType) => stored.delete(providerType),
  };
  const release = jest.fn(async ({ clientId }: { clientId: string }) => held.delete(clientId));
  const service = new OAuthClientsService(
    repository,
    new OAuthClients(repository, { for: () => shared }),
    { release } as unknown as MassExpiryBreaker,
    knownApplications('app'),
    { record: async (entry: AuditEntry) => void audited.push(entry) },
  );
  const set = (given: Partial<SetOAuthClient> = {}) =>
    service.set({ applicationId: 'app', providerType: 'GOOGLE', clientId: 'id', clientSecret: 's3cret', ...given });
  return { service, set, stored, audited, held };
}

const entry = (action: string) => ({
  applicationId: 'app',
  actor: 'ops',
  action,
  subject: 'oauth-client:GOOGLE',
  requestId: null,
});

describe('OAuthClientsService', () => {
  it('stores a client, shows everything but its secret, and records who did it', async () => {
    const { service, set, stored, audited } = fixture();
    const view = {
      ...{ applicationId: 'app', providerType: 'GOOGLE', clientId: 'id', scopes: null, tenant: null, expiresAt: null },
    };
    expect(await set()).toEqual(view);
    expect(stored.get('GOOGLE')).toEqual({
      ...{ clientId: 'id', clientSecret: 's3cret', scopes: null, tenant: null, expiresAt: null },
    });
    expect(await service.list('app')).toEqual([view]);
    expect(audited).toEqual([entry('oauth-client.set')]);
    expect(JSON.stringify(audited)).not.toContain('s3cret');
  });

  it('takes scopes, each once, and a tenant', async () => {
    const { set } = fixture();
    expect(await set({ scopes: ['openid', 'https://a.example/x', 'openid'] })).toMatchObject({
      scopes: ['openid', 'https://a.example/x'],
    });
    for (const tenant of ['organizations', 'contoso.onmicrosoft.com', '72f988bf-86f1-41af-91ab-2d7cd011db47']) {
      expect(await set({ providerType: 'MICROSOFT', tenant })).toMatchObject({ tenant });
    }
  });

  it('knows when the secret ends, as long as the secret stays', async () => {
    const { service, set } = fixture();
    const kept = () =>
      service.set({ applicationId: 'app', providerType: 'GOOGLE', clientId: 'id', scopes: ['openid'] });
    expect(await set({ expiresAt: '2027-05-31' })).toMatchObject({ expiresAt: '2027-05-31T00:00:00.000Z' });
    expect(await kept()).toMatchObject({ scopes: ['openid'], expiresAt: '2027-05-31T00:00:00.000Z' });
    expect(await set()).toMatchObject({ expiresAt: null });
    expect(await set({ expiresAt: '2027-05-31T12:00:00+02:00' })).toMatchObject({
      expiresAt: '2027-05-31T10:00:00.000Z',
    });
    expect(await set({ expiresAt: null })).toMatchObject({ expiresAt: null });
  });

  it.each<[string, Partial<SetOAuthClient>]>([
    ['clientId', { clientId: '' }],
    ['clientId', { clientId: ' id' }],
    ['clientId', { clientId: 'id\n' }],
    ['clientId', { clientId: 'ïd' }],
    ['clientId', { clientId: 'x'.repeat(501) }],
    ['clientSecret', { clientSecret: '' }],
    ['clientSecret', { clientSecret: 's3cret\r\n' }],
    ['clientSecret', { clientSecret: 'x'.repeat(501) }],
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: [''] }],
    ['scopes', { scopes: ['a b'] }],
    ['scopes', { scopes: ['a"b'] }],
    ['scopes', { scopes: ['a\\b'] }],
    ['scopes', { scopes: Array.from({ length: 51 }, (_, n) => `s${n}`) }],
    ['expiresAt', { expiresAt: '' }],
    ['expiresAt', { expiresAt: '2027-02-30' }],
    ['expiresAt', { expiresAt: '2027-05-31T12:00:00' }],
    ['expiresAt', { expiresAt: 'never' }],
    ['tenant', { tenant: '' }],
    ['tenant', { tenant: '../common' }],
    ['tenant', { tenant: 'a/b' }],
    ['tenant', { tenant: 'a?b' }],
  ])('refuses a wrong %s, naming it and not what it was: %j', async (path, given) => {
    const { set, stored, audited } = fixture();
    const rejected = (await set(given).catch((error: unknown) => error)) as Error;
    expect(rejected).toMatchObject({ code: 'ValidationFailed', details: [expect.objectContaining({ path })] });
    if (path === 'clientSecret') expect(rejected.message).not.toContain('s3cret');
    expect([stored.size, audited.length]).toEqual([0, 0]);
  });

  it('removes a client once', async () => {
    const { service, set, audited } = fixture();
    await set();
    await service.remove('app', 'GOOGLE');
    await expect(service.remove('app', 'GOOGLE')).rejects.toMatchObject({ code: 'NotFound' });
    expect(audited).toEqual([entry('oauth-client.set'), entry('oauth-client.removed')]);
  });

  it('T6 releases the client that the application uses: its own, else the shared one', async () => {
    const { service, set, held, audited } = fixture({
      clientId: 'shared',
      clientSecret: 's',
      scopes: null,
      tenant: null,
    });
    held.add('shared').add('id');
    const released = { applicationId: 'app', providerType: 'GOOGLE', clientId: 'shared', released: true };
    expect(await service.release('app', 'GOOGLE')).toEqual(released);
    expect(await service.release('app', 'GOOGLE')).toEqual({ ...released, released: false });
    expect(audited).toEqual([entry('oauth-client.released')]);
    await set();
    expect(await service.release('app', 'GOOGLE')).toEqual({ ...released, clientId: 'id' });
  });

  it('has nothing to release where there is no client', async () => {
    await expect(fixture().service.release('app', 'GOOGLE')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('knows no application that is not there', async () => {
    const { service, set, audited } = fixture({ clientId: 'shared', clientSecret: 's', scopes: null, tenant: null });
    for (const call of [
      () => set({ applicationId: 'other' }),
      () => service.list('other'),
      () => service.remove('other', 'GOOGLE'),
      () => service.release('other', 'GOOGLE'),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'NotFound' });
    }
    expect(audited).toEqual([]);
  });
});
