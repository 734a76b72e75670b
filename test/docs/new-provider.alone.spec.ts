import { randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import type { ProviderType } from '#domain/accounts';
import { integer, root } from '#platform/settings';
import { AddressField, ConnectBody, defineProvider, oauthClientSettings } from '#providers/kit/definition';

/** Where @nestjs/swagger keeps what is said of a field. */
const API_MODEL_PROPERTIES = 'swagger/apiModelProperties';
const ROOT = join(import.meta.dirname, '../..');
const CHANNEL = { channelId: '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5', token: 'token', kind: 'change' } as const;

/** Users sign in at it, and it reports changes. */
const TOY = defineProvider({
  type: 'TOY',
  slug: 'toy',
  label: 'Toys',
  icon: 'M0 0z',
  authentication: 'oauth',
  settings: {
    apiUrl: root('TOY_API_URL', { description: 'Root of the toys.', fallback: 'https://toys.example' }),
    ...oauthClientSettings('TOY', { scopes: 'all toys' }),
    requestsPerMinute: integer('TOY_REQUESTS_PER_MINUTE', { description: 'Requests.', fallback: 7, min: 1, max: 9 }),
  },
  trustedOrigins: ({ apiUrl }) => [apiUrl],
  oauthClient: { console: 'toy shop.', redirectName: 'Ways back', tenant: 'A shelf.', defaultScopes: ['play'] },
  notifications: {
    hasLifecycle: false,
    readsBody: false,
    acceptedStatus: 299,
    rejectsForged: true,
    read: ({ headers }) => (headers['x-toy'] === 'moved' ? [CHANNEL] : []),
  },
  create: (deps, { requestsPerMinute }) =>
    ({ type: 'TOY', deps, capabilities: { requestsPerMinute }, authorization: null, push: null }) as never,
});

class ConnectLeaf extends ConnectBody {
  @AddressField({ description: 'Address of the leaf.', example: 'https://leaf.example/secret' })
  override url!: string;
}

/** It is connected with an address, and has to be polled. */
const LEAF = defineProvider({
  type: 'LEAF',
  slug: 'leaf',
  label: 'Leaves',
  icon: 'M0 0z',
  authentication: 'url',
  settings: {},
  trustedOrigins: () => [],
  connect: {
    body: ConnectLeaf,
    summary: 'Connect a leaf.',
    namesServer: true,
    form: { texts: { en: { labels: {}, steps: [] }, de: { labels: {}, steps: [] } } },
  },
  create: () => ({ type: 'LEAF', authorization: null, push: null }) as never,
});

// What a provider is known by: a line in registry.ts.
const REGISTRY = '../../libs/providers/registry.js';
const registered = { ...(await import(REGISTRY)) } as object;
mock.module(REGISTRY, { exports: { ...registered, LEAF, TOY } });

const providers = await import('#providers');
const { ConfigError, loadConfig } = await import('#platform');
const { exposition, counter } = await import('#platform/telemetry');
const { ConfiguredOAuthClients } = await import('#application/oauth');

const env = {
  DATABASE_URL: 'postgresql://localhost/calendar',
  ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
};

/** What the OpenAPI document says of a field. */
function fieldOf(dto: new () => object, field: string): { enum?: readonly string[]; example?: unknown } {
  return Reflect.getMetadata(API_MODEL_PROPERTIES, dto.prototype as object, field) as object;
}

describe('of a provider that is defined and registered, and nothing else, there is', () => {
  it('the type, listed by how its accounts authenticate', () => {
    const types: readonly ProviderType[] = providers.PROVIDER_TYPES;
    expect(types.indexOf('TOY')).toBe(types.indexOf('MICROSOFT') + 1);
    expect(types.at(-1)).toBe('LEAF');
  });

  it('the provider, made with its part of the configuration', () => {
    const { providers: configs } = loadConfig(providers.PROVIDERS, { ...env, TOY_REQUESTS_PER_MINUTE: '8' });
    const deps = { egress: 'egress', nowMs: () => 0 } as never;
    const made = providers.createProviders(deps, configs);
    expect(made.for('TOY')).toMatchObject({ type: 'TOY', capabilities: { requestsPerMinute: 8 } });
    expect(made.for('LEAF')).toMatchObject({ type: 'LEAF' });
  });

  it('the settings, in the documented table, checked, and the origins that they trust', () => {
    const names = providers.ALL_SETTINGS.map(({ env: name }) => name);
    expect(names.filter((name) => name.startsWith('TOY_'))).toEqual([
      ...['TOY_API_URL', 'TOY_CLIENT_ID', 'TOY_CLIENT_SECRET'],
      ...['TOY_CLIENT_SECRET_EXPIRES_AT', 'TOY_SCOPES', 'TOY_REQUESTS_PER_MINUTE'],
    ]);
    expect(() => loadConfig(providers.PROVIDERS, { ...env, TOY_REQUESTS_PER_MINUTE: '10' })).toThrow(ConfigError);
    expect(() => loadConfig(providers.PROVIDERS, { ...env, TOY_CLIENT_ID: 'id' })).toThrow(
      'TOY_CLIENT_ID and TOY_CLIENT_SECRET must be given together',
    );
    const { providers: configs } = loadConfig(providers.PROVIDERS, { ...env, TOY_API_URL: 'http://127.0.0.1:1' });
    expect(providers.trustedOrigins(configs)).toContain('http://127.0.0.1:1');
  });

  it('the OAuth client that the installation shares', () => {
    const given = { ...env, TOY_CLIENT_ID: 'id', TOY_CLIENT_SECRET: 'secret', TOY_SCOPES: 'play sleep' };
    const clients = new ConfiguredOAuthClients(loadConfig(providers.PROVIDERS, given).providers);
    expect(clients.for('TOY')).toEqual({
      ...{ clientId: 'id', clientSecret: 'secret', scopes: ['play', 'sleep'], tenant: null, expiresAt: null },
    });
    expect(clients.for('LEAF')).toBeNull();
  });

  it('the values of the enums of both OpenAPI documents', async () => {
    const { EndUserAccountDto } = await import('../../apps/api/src/accounts/account.dto.js');
    const { CreateAuthorizationUrlDto } = await import('../../apps/api/src/oauth/oauth.dto.js');
    const { AccountSummaryDto, ReconnectLinkDto } = await import('../../apps/api/src/operator/accounts/account.dto.js');
    for (const dto of [EndUserAccountDto, AccountSummaryDto]) {
      expect(fieldOf(dto, 'providerType').enum).toEqual(expect.arrayContaining(['CALDAV', 'LEAF', 'TOY']));
    }
    for (const dto of [CreateAuthorizationUrlDto, ReconnectLinkDto]) {
      expect(fieldOf(dto, 'provider').enum).toEqual(['google', 'microsoft', 'toy']);
    }
  });

  it('the option of ops', async () => {
    const { SetOAuthClientCommand } = await import('../../apps/ops/src/oauth-client.commands.js');
    const { provider } = SetOAuthClientCommand.prototype;
    expect(provider('toy')).toBe('TOY');
    expect(() => provider('leaf')).toThrow('--provider must be one of google, microsoft, toy');
  });

  it('the route that takes its notifications', async () => {
    const { NotificationsController } =
      await import('../../apps/api/src/provider-notifications/notifications.controller.js');
    const taken: unknown[] = [];
    const intake = {
      take: async (...given: unknown[]) => taken.push(given) > 0,
      assertAllowed: () => undefined,
      recordInvalid: (...given: unknown[]) => taken.push(given),
    };
    const controller = new NotificationsController(intake as never);
    const receive = async (slug: string, headers: object) => {
      const response = { status: jest.fn() };
      const request = { path: `/api/v1/providers/${slug}/notifications`, headers, query: {}, ip: '::1' };
      await controller.receive(request as never, response as never);
      return response.status.mock.calls;
    };
    const addresses = Reflect.getMetadata(PATH_METADATA, NotificationsController.prototype.receive) as string[];
    expect(addresses).toEqual([
      ...['google/notifications', 'microsoft/notifications', 'microsoft/lifecycle', 'toy/notifications'],
    ]);
    expect(await receive('toy', { 'x-toy': 'moved' })).toEqual([[299]]);
    await expect(receive('toy', {})).rejects.toMatchObject({ code: 'NotFound' });
    expect(taken).toEqual([
      ['TOY', '::1', [CHANNEL]],
      ['TOY', '::1'],
    ]);
    await expect(receive('leaf', {})).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('the route that connects its accounts', async () => {
    const { CONNECT_CONTROLLERS } = await import('../../apps/api/src/accounts/basic-auth.controller.js');
    const { prototype } = CONNECT_CONTROLLERS.at(-1) as { prototype: Record<string, object> };
    expect(Object.getOwnPropertyNames(prototype)).toEqual(['constructor', 'connectLeaf']);
    expect(Reflect.getMetadata(PATH_METADATA, prototype['connectLeaf'] as object)).toBe('leaf');
    const types = Reflect.getMetadata('design:paramtypes', prototype, 'connectLeaf') as unknown[];
    expect(types).toContain(ConnectLeaf);
    expect(CONNECT_CONTROLLERS).toHaveLength(providers.PROVIDERS.filter(({ connect }) => connect).length);
  });

  it('what the dashboard shows of it', async () => {
    const { ProviderListDto } = await import('../../apps/api/src/operator/providers/provider.dto.js');
    const { data } = ProviderListDto.ofAll();
    expect(data.find(({ slug }) => slug === 'toy')).toEqual({
      ...{ type: 'TOY', slug: 'toy', label: 'Toys', icon: 'M0 0z', authentication: 'oauth', reportsChanges: true },
      oauthClient: { console: 'toy shop.', redirectName: 'Ways back', tenant: 'A shelf.', defaultScopes: ['play'] },
    });
    expect(data.at(-1)).toMatchObject({ type: 'LEAF', reportsChanges: false, oauthClient: null });
  });

  it('its label of metrics', async () => {
    counter('calendar_notifications_total');
    providers.ProvidersModule.forRoot(loadConfig(providers.PROVIDERS, env));
    expect((await exposition(undefined)).body).toContain(
      'calendar_notifications_total{provider="LEAF",outcome="accepted"} 0',
    );
  });
});

describe('a provider is known', () => {
  const folders = Object.values(registered as Record<string, { slug: string }>).map(({ slug }) => slug);
  const sources = globSync(['apps/**/*.{ts,tsx}', 'libs/**/*.{ts,tsx}'], {
    cwd: ROOT,
    exclude: ['apps/sandbox/**', '**/*.spec.ts', '**/testing/**'],
  });

  it.each(folders)('%s: by one line outside of folders of providers, that of registry.ts', (name) => {
    const isOfProvider = new RegExp(`^libs/providers/(?:${folders.join('|')})/`);
    const lines = sources
      .filter((file) => !isOfProvider.test(file))
      .flatMap((file) =>
        readFileSync(join(ROOT, file), 'utf8')
          .split('\n')
          .filter((line) => new RegExp(`from '[^']*/${name}(?:/[^']*)?'`).test(line))
          .map((line) => `${file}: ${line}`),
      );
    expect(lines).toEqual([
      `libs/providers/registry.ts: export { ${name.toUpperCase()} } from './${name}/definition.js';`,
    ]);
  });
});
