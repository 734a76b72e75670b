import { readFile } from 'node:fs/promises';
import { ALL_SETTINGS } from '#providers';

interface Generated {
  generatedFiles(settings: object): Promise<{ path: string; text: string }[]>;
}
interface Settings {
  configSchema(settings: object): { properties: Record<string, any> };
  secretSettings(settings: object): string[];
}
interface Values {
  documentedValues(yaml: string): { path: string; description: string; value: string }[];
}

const from = async <T>(name: string) => (await import(new URL(`../../../helm/${name}`, import.meta.url).href)) as T;
const { generatedFiles } = await from<Generated>('generated-files.mjs');
const { configSchema, secretSettings } = await from<Settings>('chart-settings.mjs');
const { documentedValues } = await from<Values>('chart-values.mjs');

describe('the chart has from elsewhere', () => {
  it('what is there now (else: node helm/write-generated.mjs)', async () => {
    for (const { path, text } of await generatedFiles(ALL_SETTINGS)) {
      expect([path, await readFile(path, 'utf8')]).toEqual([path, text]);
    }
  });

  it('every setting once: as a value, in the Secret, or decided by itself', () => {
    const secret = secretSettings(ALL_SETTINGS);
    const open = Object.keys(configSchema(ALL_SETTINGS).properties);
    const decided = ALL_SETTINGS.map(({ env }) => env).filter((env) => !secret.includes(env) && !open.includes(env));
    expect(secret.filter((env) => open.includes(env))).toEqual([]);
    expect(['DATA_DIR', 'METRICS_PORT', 'NODE_ENV', 'PORT', 'WORKER_HEALTH_PORT']).toEqual(
      expect.arrayContaining(decided),
    );
    expect(secret).toEqual(
      expect.arrayContaining(['DATABASE_URL', 'REDIS_URL', 'ENCRYPTION_KEYS', 'GOOGLE_CLIENT_SECRET', 'SVIX_TOKEN']),
    );
  });

  it('the kinds of settings', () => {
    expect(configSchema(ALL_SETTINGS).properties).toMatchObject({
      DATABASE_POOL_SIZE: { type: 'integer', minimum: 1, maximum: 500 },
      LOG_LEVEL: { enum: expect.arrayContaining(['info', 'silent']) },
      OTEL_SDK_DISABLED: { enum: ['true', 'false', true, false] },
      OTEL_RESOURCE_ATTRIBUTES: { type: ['string', 'number'] },
      PUBLIC_URL: { type: 'string', pattern: '^(https)://' },
      EGRESS_ALLOW: { type: ['string', 'number'] },
    });
  });
});

describe('documentedValues', () => {
  it('reads a value, its comment over several lines, and what stands below it', () => {
    const yaml = [
      '# Of the file.',
      '# -- A name,',
      '# or none.',
      "name: ''",
      'api:',
      '  # -- A list.',
      '  peers:',
      '    - { a: 1 }',
      '  # -- A map.',
      '  image: { a: 1 }',
      'last: 1',
    ];
    expect(documentedValues(yaml.join('\n'))).toEqual([
      { path: 'name', description: 'A name, or none.', value: "''" },
      { path: 'api.peers', description: 'A list.', value: '- { a: 1 }' },
      { path: 'api.image', description: 'A map.', value: '{ a: 1 }' },
    ]);
  });
});
