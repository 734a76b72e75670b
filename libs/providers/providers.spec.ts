import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CountedPermits, MemoryPrivateProperties, MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { ConfigError, configurationTable, loadConfig } from '#platform';
import { UnreadableObjects } from '#providers/kit/definition';
import { ScriptedEgress } from '#providers/kit/testing/scripted-egress';
import { ALL_SETTINGS, createProviders, PROVIDER_TYPES, providerBySlug, PROVIDERS, trustedOrigins } from '#providers';

class Unreported extends UnreadableObjects {
  override report(): void {}
}

const usable = {
  DATABASE_URL: 'postgresql://localhost/calendar',
  ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
};
const { providers: configs } = loadConfig(PROVIDERS, usable);
const providers = createProviders(
  {
    egress: new ScriptedEgress(),
    budget: new UnlimitedRate(),
    slots: new CountedPermits(),
    privateProperties: new MemoryPrivateProperties(),
    snapshots: new MemorySnapshots(),
    unreadable: new Unreported(),
    timeoutMs: 10_000,
    nowMs: () => 0,
  },
  configs,
);

function problemsOf(given: NodeJS.ProcessEnv): string[] {
  try {
    loadConfig(PROVIDERS, { ...usable, ...given });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('createProviders', () => {
  it.each([
    ['GOOGLE', true],
    ['MICROSOFT', true],
    ['APPLE', false],
    ['CALDAV', false],
  ] as const)('makes %s, that tells of changes by itself: %s', (type, isPushing) => {
    expect(providers.for(type).push !== null).toBe(isPushing);
  });

  it.each(PROVIDERS.map((definition) => [definition.type, definition] as const))(
    'makes %s as it is defined',
    (type, { authentication, oauthClient, connect, notifications }) => {
      const { capabilities, authorization, push, ...provider } = providers.for(type);
      expect(provider.type).toBe(type);
      expect(capabilities.authentication).toBe(authentication);
      expect(configs[type]?.['requestsPerMinute'] ?? capabilities.requestsPerMinute).toBe(
        capabilities.requestsPerMinute,
      );
      expect(authorization?.defaultScopes).toEqual(oauthClient?.defaultScopes);
      expect(oauthClient !== undefined).toBe(authentication === 'oauth');
      expect(connect !== undefined).toBe(authentication !== 'oauth');
      expect(push !== null).toBe(notifications !== undefined);
    },
  );
});

describe('the definitions', () => {
  it('are listed by how accounts authenticate, then by type', () => {
    expect(PROVIDER_TYPES.slice(0, 4)).toEqual(['GOOGLE', 'MICROSOFT', 'APPLE', 'CALDAV']);
  });

  it('are found by their types in lower case, and by nothing else', () => {
    for (const { type, slug } of PROVIDERS) {
      expect(slug).toBe(type.toLowerCase());
      expect(providerBySlug(slug)?.type).toBe(type);
    }
    for (const segment of ['GOOGLE', 'Google', '', 'yahoo', 'constructor']) {
      expect(providerBySlug(segment)).toBeUndefined();
    }
  });

  it('name variables that begin with a type, and no variable of somebody else', () => {
    for (const { settings } of PROVIDERS) {
      for (const { env } of Object.values(settings)) {
        expect(PROVIDER_TYPES.filter((type) => env.startsWith(`${type}_`))).toHaveLength(1);
      }
    }
    expect(new Set(ALL_SETTINGS.map(({ env }) => env)).size).toBe(ALL_SETTINGS.length);
  });

  it('trust the configured roots, and no others', () => {
    const roots = PROVIDERS.flatMap(({ settings }) => Object.values(settings)).filter(({ format }) =>
      format.startsWith('URL'),
    );
    expect(trustedOrigins(configs).sort()).toEqual(roots.map((setting) => setting.default).sort());
  });
});

describe('the configuration of providers', () => {
  it.each(['GOOGLE', 'MICROSOFT'])('wants an OAuth client of %s whole', (provider) => {
    const [id, secret] = [`${provider}_CLIENT_ID`, `${provider}_CLIENT_SECRET`];
    const problem = `${id} and ${secret} must be given together`;
    expect(problemsOf({ [id]: 'id' })).toEqual([problem]);
    expect(problemsOf({ [secret]: 'secret' })).toEqual([problem]);
    expect(problemsOf({ [id]: 'id', [secret]: 'secret' })).toEqual([]);
  });

  it.each([
    'GOOGLE_API_URL',
    'GOOGLE_OAUTH_URL',
    'GOOGLE_TOKEN_URL',
    'MICROSOFT_GRAPH_URL',
    'MICROSOFT_LOGIN_URL',
    'APPLE_CALDAV_URL',
  ])('refuses for %s what no request goes to', (name) => {
    expect(problemsOf({ [name]: 'http://127.0.0.1:4010/root/' })).toEqual([]);
    for (const value of ['https://canary@host.example', 'https://host.example/#canary', 'https://-canary.example']) {
      expect(problemsOf({ [name]: value })).toEqual([
        `${name} must be the URL of a host, without a user and a fragment`,
      ]);
    }
  });

  it('says once what is wrong with a setting that two providers share', () => {
    expect(problemsOf({ CALDAV_REQUESTS_PER_MINUTE: '0' })).toEqual([
      'CALDAV_REQUESTS_PER_MINUTE must be an integer from 1 to 1000000',
    ]);
  });

  it('is in the table of docs/operations/configuration.md, as all settings are', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/operations/configuration.md'), 'utf8');
    expect(page).toContain(configurationTable(ALL_SETTINGS));
  });
});
