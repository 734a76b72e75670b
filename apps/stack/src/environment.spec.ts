import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyRing } from '#persistence';
import { ConfigError } from '#platform';
import { DataDirectory } from '#platform/local-stack';
import { childEnvironment, readSettings } from './environment.js';

describe('readSettings', () => {
  let path: string;
  let data: DataDirectory;
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'unified-calendar-settings-'));
    data = new DataDirectory(path);
  });
  afterEach(() => rmSync(path, { recursive: true }));

  async function problemsOf(env: NodeJS.ProcessEnv): Promise<string[]> {
    const failure: unknown = await readSettings(env, data).then(
      () => null,
      (error: unknown) => error,
    );
    if (failure === null) return [];
    if (failure instanceof ConfigError) return failure.problems;
    throw failure as Error;
  }

  it.each(['production', ' production '])('lets nothing step in for what NODE_ENV=%s needs', async (NODE_ENV) => {
    data.ensureEncryptionKeys(() => 'k1:secret');
    expect(await problemsOf({ NODE_ENV, EGRESS_ALLOW: 'https://dav.internal', LOG_LEVEL: 'loud' })).toEqual([
      'PUBLIC_URL is required in production',
      'DATABASE_URL is required',
      'ENCRYPTION_KEYS is required',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
      'EGRESS_ALLOW entry 1 is none of host, host:port, address, [v6]:port, CIDR',
    ]);
  });

  it('makes no keys in production', async () => {
    await problemsOf({ NODE_ENV: 'production' });
    expect(existsSync(join(path, 'encryption-keys'))).toBe(false);
  });

  it('takes what production is given', async () => {
    const given = {
      NODE_ENV: 'production',
      DATABASE_URL: 'postgresql://localhost/calendar',
      ENCRYPTION_KEYS: KeyRing.generateEntry('k1'),
      PUBLIC_URL: 'https://calendar.example.com/',
      METRICS_PORT: 'off',
    };
    expect(await readSettings(given, data)).toMatchObject({
      databaseUrl: given.DATABASE_URL,
      encryptionKeys: given.ENCRYPTION_KEYS,
      baseUrl: 'https://calendar.example.com',
      sandbox: null,
    });
  });

  it('needs nothing elsewhere: it runs a database of its own, with keys of its own', async () => {
    const settings = await readSettings({ METRICS_PORT: 'off' }, data);
    expect(settings).toMatchObject({ databaseUrl: null, encryptionKeys: data.encryptionKeys() });
    expect(KeyRing.parse(settings.encryptionKeys).current().kid).toBe('k1');
  });
});

describe('what npm start binds to', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'environment-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  /** `HOST` of the stack, and of API and worker. */
  async function hosts(given: NodeJS.ProcessEnv): Promise<unknown[]> {
    const env = { PORT: '0', METRICS_PORT: 'off', DATA_DIR: directory, ...given };
    const data = DataDirectory.fromEnvironment(env);
    data.create();
    const settings = await readSettings(env, data);
    return [settings.host, childEnvironment(env, settings, 'postgresql://127.0.0.1/x', 1).HOST];
  }

  it('is this machine alone, unless HOST says otherwise', async () => {
    expect(await hosts({})).toEqual(['127.0.0.1', '127.0.0.1']);
    expect(await hosts({ HOST: ' ' })).toEqual(['127.0.0.1', '127.0.0.1']);
    expect(await hosts({ HOST: '0.0.0.0' })).toEqual(['0.0.0.0', '0.0.0.0']);
  });
});
