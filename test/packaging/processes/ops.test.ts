// 37 s: each case starts the ops program, some several times.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '#persistence';
import { asAdmin, createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { runProgram, temporaryDirectory } from '../../support/processes.js';
import { openPersistence } from '../../persistence/persistence.js';
import { CommandLine } from '../../support/command-line.js';
import { ops, type OpsResult } from '../../support/stack.js';

const NOTHING = { accounts: 0, apiKeys: 0, subscriptions: 0 };

describe('ops, configured by its environment', () => {
  let database: TestDatabase;
  let directory: { path: string; remove(): Promise<void> };
  let env: NodeJS.ProcessEnv;
  let commands: CommandLine;
  const keys = KeyRing.generateEntry('first');

  const run = (...args: string[]): Promise<OpsResult> => commands.run(env, ...args);
  const failure = ({ stderr }: OpsResult): unknown => JSON.parse(stderr.trim().split('\n').at(-1) ?? '');

  const audited = (applicationId: string): Promise<unknown[]> =>
    asAdmin(database.adminUrl, async (admin) => {
      const { rows } = await admin.query(
        'select actor, action, subject from audit_entry where application_id = $1 order by recorded_at, id',
        [applicationId],
      );
      return rows;
    });

  beforeAll(async () => {
    database = await createTestDatabase();
    directory = await temporaryDirectory('ops');
    env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      // Nothing is running on these data: what works here works by the environment alone.
      DATA_DIR: directory.path,
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS: keys,
    };
    commands = CommandLine.start();
  });
  afterAll(async () => {
    await database.drop();
    await directory.remove();
  });

  it('migrates an empty database, and does nothing the second time', async () => {
    const empty = await createTestDatabase({ migrated: false });
    const onEmpty = { ...env, DATABASE_URL: empty.url };
    const first = await ops(onEmpty, 'migrate', '--json');
    expect(first).toMatchObject({ exitCode: 0 });
    expect(first.json().applied).not.toEqual([]);
    expect(first.json().queueSchemaVersion).toEqual(expect.any(Number));
    const second = await commands.run(onEmpty, 'migrate', '--json');
    expect(second.json()).toMatchObject({ applied: [] });
    await empty.drop();
  });

  it('creates the demo application once, in an installation without applications', async () => {
    const empty = await createTestDatabase();
    const demo = (...args: string[]) => commands.run({ ...env, DATABASE_URL: empty.url }, 'demo', '--json', ...args);
    const client = ['--oauth-client', 'GOOGLE:id:of:the-sandbox', '--redirect-url'];
    const first = (await demo(...client, 'http://localhost:4013/connected')).json().demo;
    expect(first).toEqual({ applicationId: expect.any(String), name: 'demo', apiKey: expect.stringMatching(/^uck_/) });
    const second = (await demo(...client, 'http://localhost:4999/connected')).json().demo;
    expect(second).toEqual({ ...(first as object), apiKey: null });
    const { applicationId } = second as { applicationId: string };
    const list = async (what: string) =>
      (
        await commands.run({ ...env, DATABASE_URL: empty.url }, what, 'list', '--application', applicationId, '--json')
      ).json().data;
    expect(await list('redirect-url')).toMatchObject([{ url: 'http://localhost:4999/connected' }]);
    expect(await list('oauth-client')).toContainEqual(expect.objectContaining({ clientId: 'id' }));
    await empty.drop();

    await run('application', 'create', '--name', 'another', '--json');
    expect((await run('demo', '--json')).json()).toEqual({ demo: null });
  });

  it('creates, lists and deletes applications', async () => {
    const created = await run('application', 'create', '--name', 'acme', '--rate-limit', '50', '--json');
    const application = created.json();
    expect(application).toEqual({
      applicationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'acme',
      environment: 'development',
      rateLimitRps: 50,
      enrichedWebhooks: false,
      polledWebhooks: false,
      signedLinks: false,
      accentColor: null,
      createdAt: expect.any(String),
    });
    expect((await run('application', 'list', '--json')).json().data).toContainEqual({
      ...application,
      counts: NOTHING,
    });
    expect((await run('application', 'list')).stdout).toMatch(/acme +development +50\/s/);

    const id = String(application.applicationId);
    expect((await run('application', 'delete', '--id', id, '--json')).json()).toEqual({
      applicationId: id,
      deleted: true,
    });
    const again = await run('application', 'delete', '--id', id, '--json');
    expect(again).toMatchObject({ exitCode: 1, stdout: '' });
    expect(failure(again)).toMatchObject({ code: 'NotFound' });
    expect(await audited(id)).toEqual(
      ['created', 'deleted'].map((done) => ({
        ...{ actor: 'ops', action: `application.${done}`, subject: `application:${id}` },
      })),
    );
  });

  it('creates applications for production, and for no environment that it does not know', async () => {
    const create = (environment: string) =>
      run('application', 'create', '--name', 'live', '--environment', environment, '--json');
    expect((await create('production')).json()).toMatchObject({ environment: 'production' });
    expect((await run('application', 'list')).stdout).toMatch(/live +production/);
    expect(failure(await create('staging'))).toMatchObject({ code: 'ValidationFailed' });
  });

  it('changes what an application is told, one thing at a time, and writes it into the audit log', async () => {
    const application = (await run('application', 'create', '--name', 'notified', '--json')).json();
    const id = String(application.applicationId);
    const set = (...options: string[]): Promise<OpsResult> => run('application', 'set', '--id', id, ...options);

    const enriched = { ...application, enrichedWebhooks: true };
    expect((await set('--enriched-webhooks', 'on', '--json')).json()).toEqual(enriched);
    const both = { ...enriched, polledWebhooks: true };
    expect((await set('--polled-webhooks', 'on', '--json')).json()).toEqual(both);
    expect((await run('application', 'list', '--json')).json().data).toContainEqual({ ...both, counts: NOTHING });
    expect((await run('application', 'list')).stdout).toMatch(/notified +development +default +enriched, polled/);
    expect((await set('--enriched-webhooks', 'off', '--polled-webhooks', 'off')).stdout).toContain('plain, pushed');
    expect((await set('--signed-links', 'on', '--json')).json()).toEqual({ ...application, signedLinks: true });
    expect((await set('--accent-color', '#0B57D0', '--json')).json()).toMatchObject({ accentColor: '#0b57d0' });
    expect((await set('--accent-color', 'default', '--json')).json()).toMatchObject({ accentColor: null });
    expect(await set('--accent-color', 'blue')).toMatchObject({ exitCode: 2 });
    expect((await run('application', 'list')).stdout).toMatch(/notified +development +default +plain, pushed +signed/);

    const change = (subject: string) => ({ actor: 'ops', action: 'application.changed', subject });
    const [, ...changes] = await audited(id);
    const off = ['enrichedWebhooks=off', 'polledWebhooks=off'].map((option) => change(`application-option:${option}`));
    // Those of one command have no order.
    expect(changes).toEqual([
      change('application-option:enrichedWebhooks=on'),
      change('application-option:polledWebhooks=on'),
      ...(isDeepStrictEqual(changes[2], off[0]) ? off : off.toReversed()),
      change('application-option:signedLinks=on'),
      change('application-option:accentColor=#0B57D0'),
      change('application-option:accentColor=default'),
    ]);
    const unknown = await run('application', 'set', '--id', randomUUID(), '--polled-webhooks', 'on', '--json');
    expect(failure(unknown)).toMatchObject({ code: 'NotFound' });
  });

  it('invites operators, and shows the link once', async () => {
    const { stdout } = await run('operator', 'create', '--email', 'Ada@Example.com', '--role', 'viewer', '--json');
    const { link, ...invitation } = JSON.parse(stdout) as { link: string };
    expect(invitation).toMatchObject({ email: 'ada@example.com', role: 'viewer', invitedBy: null });
    expect(link).toMatch(/^http:\/\/localhost:3000\/dashboard\/invitation#[\w-]{43}$/);
    const [kept, recorded] = await asAdmin(database.adminUrl, async (admin) => [
      (await admin.query('select email, role, octet_length(token_hash) as size from operator_invitation')).rows,
      (await admin.query("select actor, subject from audit_entry where action = 'invitation.created'")).rows,
    ]);
    expect(kept).toEqual([{ email: 'ada@example.com', role: 'viewer', size: 32 }]);
    expect(recorded).toEqual([{ actor: 'ops', subject: 'operator:ada@example.com' }]);
    for (const wrong of [
      ['--email', 'nobody'],
      ['--email', 'a@example.com', '--role', 'owner'],
    ]) {
      const rejected = await run('operator', 'create', ...wrong, '--json');
      expect([rejected.exitCode, failure(rejected)]).toMatchObject([2, { code: 'Usage' }]);
    }
  });

  it('N04 shows a key once, and stores no more than its hash', async () => {
    const { applicationId } = (await run('application', 'create', '--name', 'keys', '--json')).json();
    const application = ['--application', String(applicationId)];
    const created = await run('api-key', 'create', ...application, '--name', 'ci', '--expires', 'never', '--json');
    const key = created.json();
    expect(key).toMatchObject({
      apiKey: expect.stringMatching(/^uck_[0-9a-f]{32}_[A-Za-z0-9-]{43}$/),
      expiresAt: null,
      scopes: ['read', 'write'],
    });
    const secret = String(key.apiKey).split('_')[2] ?? '';
    expect((await run('api-key', 'list', ...application, '--json')).stdout).not.toContain(secret);
    const stored = await asAdmin(database.adminUrl, (admin) => admin.query('select api_key::text from api_key'));
    expect(JSON.stringify(stored.rows)).not.toContain(secret);
  });

  it('takes scopes and an expiry', async () => {
    const { applicationId } = (await run('application', 'create', '--name', 'scoped', '--json')).json();
    const create = (...more: string[]): Promise<OpsResult> =>
      run('api-key', 'create', '--application', String(applicationId), '--name', 'ci', ...more, '--json');
    const days = (await create('--expires', '30', '--scopes', 'read,write')).json();
    expect(days.scopes).toEqual(['read', 'write']);
    expect(Date.parse(String(days.expiresAt)) - Date.now()).toBeGreaterThan(29.9 * 86_400_000);
    expect((await create('--expires', '2099-01-01T00:00:00Z')).json().expiresAt).toBe('2099-01-01T00:00:00.000Z');
  });

  it('revokes a key', async () => {
    const { applicationId } = (await run('application', 'create', '--name', 'revoked', '--json')).json();
    const application = ['--application', String(applicationId)];
    const { apiKeyId } = (await run('api-key', 'create', ...application, '--name', 'ci', '--json')).json();
    expect((await run('api-key', 'revoke', '--id', String(apiKeyId), '--json')).json()).toEqual({
      apiKeyId,
      revoked: true,
    });
    const { data } = (await run('api-key', 'list', ...application, '--json')).json() as { data: unknown[] };
    expect(data).toEqual([expect.objectContaining({ apiKeyId, revokedAt: expect.any(String) })]);
  });

  describe('for sign-in', () => {
    let applicationId: string;
    let application: string[];
    let google: string[];
    beforeAll(async () => {
      applicationId = String((await run('application', 'create', '--name', 'oauth', '--json')).json().applicationId);
      application = ['--application', applicationId];
      google = [...application, '--provider', 'google'];
    });

    it('sets, lists and removes OAuth clients, whose secrets it shows to nobody', async () => {
      const set = (...more: string[]): Promise<OpsResult> =>
        run('oauth-client', 'set', ...google, '--client-id', 'id-1', ...more, '--json');
      const view = { applicationId, providerType: 'GOOGLE', clientId: 'id-1', scopes: null, tenant: null };
      const ends = { expiresAt: '2027-05-31T00:00:00.000Z' };
      expect((await set('--client-secret', 'canary-1', '--expires-at', '2027-05-31')).json()).toEqual({
        ...view,
        ...ends,
      });
      const scopes = ['openid', 'https://www.googleapis.com/auth/calendar'];
      expect((await set('--client-secret', 'canary-2', '--scopes', scopes.join(' '))).json()).toEqual({
        ...{ ...view, scopes, expiresAt: null },
      });
      const microsoft = ['--provider', 'microsoft', '--client-id', 'id-2', '--client-secret', 'canary-3'];
      const tenant = ['--tenant', 'contoso.example'];
      expect((await run('oauth-client', 'set', ...application, ...microsoft, ...tenant, '--json')).json()).toEqual({
        ...{
          applicationId,
          providerType: 'MICROSOFT',
          clientId: 'id-2',
          scopes: null,
          tenant: 'contoso.example',
          expiresAt: null,
        },
      });
      const list = await run('oauth-client', 'list', ...application, '--json');
      expect(list.json()).toEqual({
        data: [
          { ...view, scopes, expiresAt: null },
          expect.objectContaining({ providerType: 'MICROSOFT', tenant: 'contoso.example' }),
        ],
      });
      expect((await run('oauth-client', 'list', ...application)).stdout).toMatch(/MICROSOFT +id-2 +default +contoso/);
      expect((await run('oauth-client', 'remove', ...google, '--json')).json()).toEqual({
        ...{ applicationId, providerType: 'GOOGLE', removed: true },
      });
      const again = await run('oauth-client', 'remove', ...google, '--json');
      expect(again).toMatchObject({ exitCode: 1, stdout: '' });
      expect(failure(again)).toMatchObject({ code: 'NotFound' });
      expect((await audited(applicationId)).slice(1)).toEqual([
        { actor: 'ops', action: 'oauth-client.set', subject: 'oauth-client:GOOGLE' },
        { actor: 'ops', action: 'oauth-client.set', subject: 'oauth-client:GOOGLE' },
        { actor: 'ops', action: 'oauth-client.set', subject: 'oauth-client:MICROSOFT' },
        { actor: 'ops', action: 'oauth-client.removed', subject: 'oauth-client:GOOGLE' },
      ]);
      const stored = await asAdmin(database.adminUrl, (admin) =>
        admin.query('select c::text as row from oauth_client c union all select a::text from audit_entry a'),
      );
      expect(stored.rowCount).toBeGreaterThan(0);
      for (const form of ['canary', Buffer.from('canary').toString('hex')]) {
        expect(list.stdout + JSON.stringify(stored.rows)).not.toContain(form);
      }
    });

    it('reads a secret from the standard input, where no list of processes shows it', async () => {
      const script = join(import.meta.dirname, '../../../apps/stack/ops.mjs');
      const options = [...google, '--client-id', 'piped', '--client-secret', '-', '--json'];
      const program = runProgram(
        'sh',
        ['-c', `printf '%s\\n' "$SECRET" | "$0" "$@"`, process.execPath, script, 'oauth-client', 'set', ...options],
        { env: { ...env, SECRET: 'of the pipe'.replaceAll(' ', '-') } },
      );
      expect([await program.exited, program.stderr()]).toEqual([0, '']);
      const persistence = await openPersistence({
        testDatabase: database,
        keyRing: KeyRing.parse(keys),
      });
      try {
        expect(await persistence.oauthClients.find({ applicationId }, 'GOOGLE')).toMatchObject({
          clientId: 'piped',
          clientSecret: 'of-the-pipe',
        });
      } finally {
        await persistence.close();
      }
    });

    it('T6 releases a client whose refused grants are not believed', async () => {
      await run('oauth-client', 'set', ...google, '--client-id', 'held', '--client-secret', 's');
      const release = (): Promise<OpsResult> => run('oauth-client', 'reset-breaker', ...google, '--json');
      const response = { applicationId, providerType: 'GOOGLE', clientId: 'held', released: false };
      expect((await release()).json()).toEqual(response);
      await asAdmin(database.adminUrl, (admin) =>
        admin.query(
          "insert into mass_expiry_breaker (provider_type, client_id, breaker_tripped_since) values ('GOOGLE', 'held', now())",
        ),
      );
      expect((await release()).json()).toEqual({ ...response, released: true });
      expect((await release()).json()).toEqual(response);
      expect(await audited(applicationId)).toContainEqual({
        ...{ actor: 'ops', action: 'oauth-client.released', subject: 'oauth-client:GOOGLE' },
      });
    });

    it.each(['google', 'microsoft'])('T6 releases the shared %s client of who has no own one', async (provider) => {
      const { applicationId: without } = (await run('application', 'create', '--name', 'none', '--json')).json();
      const release = ['oauth-client', 'release', '--application', String(without), '--provider', provider, '--json'];
      const name = provider.toUpperCase();
      const shared = { [`${name}_CLIENT_ID`]: 'shared', [`${name}_CLIENT_SECRET`]: 's' };
      const response = await commands.run({ ...env, ...shared }, ...release);
      expect(response.json()).toMatchObject({ clientId: 'shared', released: false });
      expect(failure(await run(...release))).toMatchObject({ code: 'NotFound' });
    });

    it('adds, lists and removes redirect URLs, the default first', async () => {
      const url = (command: string, text: string): Promise<OpsResult> =>
        run('redirect-url', command, ...application, '--url', text, '--json');
      const [first, second] = ['https://app.example/b', 'http://localhost:3000/a'];
      expect((await url('add', first)).json()).toEqual({ applicationId, url: first });
      await url('add', second);
      expect(failure(await url('add', first))).toMatchObject({ code: 'Conflict' });
      expect((await run('redirect-url', 'list', ...application, '--json')).json()).toEqual({
        data: [
          { applicationId, url: first },
          { applicationId, url: second },
        ],
      });
      expect((await url('remove', first)).json()).toEqual({ applicationId, url: first, removed: true });
      expect(failure(await url('remove', first))).toMatchObject({ code: 'NotFound' });
      expect((await run('redirect-url', 'list', ...application)).stdout).toBe(`${second}\n`);
    });

    it.each([
      ['an unknown provider', ['set', '--provider', 'apple', '--client-id', 'c', '--client-secret', 's'], /--provider/],
      ['no secret', ['set', '--provider', 'google', '--client-id', 'c'], /--client-secret/],
      [
        'a tenant of a provider without any',
        ['set', '--provider', 'google', '--client-id', 'c', '--client-secret', 's', '--tenant', 't'],
        /--tenant/,
      ],
    ])('answers %s with exit code 2', async (_, args, message) => {
      const response = await run('oauth-client', ...args, ...application, '--json');
      expect(response).toMatchObject({ exitCode: 2, stdout: '' });
      expect(failure(response)).toMatchObject({ code: 'Usage', message: expect.stringMatching(message) });
    });

    it.each([
      ['a scope that is none', 'scopes', ['oauth-client', 'set', '--provider', 'google', '--scopes', 'a\\b']],
      ['no scope', 'scopes', ['oauth-client', 'set', '--provider', 'google', '--scopes', '']],
      ['an open redirect', 'url', ['redirect-url', 'add', '--url', 'http://app.example/']],
    ])('answers %s with exit code 2, naming it', async (_, path, args) => {
      const secret = args[0] === 'oauth-client' ? ['--client-id', 'c', '--client-secret', 's'] : [];
      const response = await run(...args, ...application, ...secret, '--json');
      expect(response).toMatchObject({ exitCode: 2, stdout: '' });
      expect(failure(response)).toMatchObject({ code: 'ValidationFailed', details: [{ path }] });
    });
  });

  it('T10 brings every secret under a new key', async () => {
    const rotated = await commands.run(
      { ...env, ENCRYPTION_KEYS: `${KeyRing.generateEntry('second')},${keys}` },
      ...['keys', 'rotate', '--json'],
    );
    expect(rotated).toMatchObject({ exitCode: 0 });
    expect(rotated.json()).toMatchObject({ keyId: 'second' });
  });

  it('makes keys that it takes', async () => {
    const { entry } = (await run('keys', 'generate', '--id', 'next', '--json')).json();
    expect(KeyRing.parse(String(entry)).current().kid).toBe('next');
  });

  it.each([
    ['a missing option', ['application', 'create', '--json'], /--name/],
    ['an unknown option', ['application', 'list', '--all'], /--all/],
    ['more than the command takes', ['application', 'list', 'all'], /too many arguments/],
    ['an application that has no such id', ['account', 'list', '--application', 'x'], /--application/],
    ['an unknown command', ['application', 'rename'], /rename/],
    ['a group without a command', ['api-key'], /command/],
    ['no command', [], /command/],
    ['an unknown group', ['tenants'], /tenants/],
    ['a change of nothing', ['application', 'set', '--id', 'x'], /--enriched-webhooks, --polled-webhooks/],
    ['a switch that is neither', ['application', 'set', '--id', 'x', '--polled-webhooks', 'yes'], /on or off/],
    ['another that is neither', ['application', 'set', '--id', 'x', '--signed-links', 'true'], /on or off/],
    ['a client without a secret', ['demo', '--oauth-client', 'GOOGLE:id'], /--oauth-client/],
    ['a limit that is none', ['application', 'create', '--name', 'x', '--rate-limit', '0'], /--rate-limit/],
  ])('answers %s with exit code 2 and one line of JSON on stderr', async (_, args, message) => {
    const response = await run(...args);
    expect(response).toMatchObject({ exitCode: 2, stdout: '' });
    expect(failure(response)).toMatchObject({ code: 'Usage', message: expect.stringMatching(message) });
  });

  it.each([
    ['--expires', '5'],
    ['--expires', '2001-01-01'],
    ['--scopes', 'read,admin'],
  ])('answers %s %s with exit code 2, naming the option', async (option, value) => {
    const { applicationId } = (await run('application', 'create', '--name', 'strict', '--json')).json();
    const response = await run(
      ...['api-key', 'create', '--application', String(applicationId), '--name', 'ci', option, value, '--json'],
    );
    expect(response).toMatchObject({ exitCode: 2, stdout: '' });
    expect(failure(response)).toMatchObject({ code: 'ValidationFailed', details: [{ path: option.slice(2) }] });
  });

  it('says NotFound for an application that is not there', async () => {
    const response = await run('api-key', 'create', '--application', randomUUID(), '--name', 'ci', '--json');
    expect(response).toMatchObject({ exitCode: 1, stdout: '' });
    expect(failure(response)).toMatchObject({ code: 'NotFound' });
  });

  it('shows its help without a database', async () => {
    const response = await ops({ PATH: process.env.PATH, DATA_DIR: directory.path }, 'application', '--help');
    expect(response).toMatchObject({ exitCode: 0, stderr: '' });
    expect(response.stdout).toContain('Usage: ops application ');
    expect(response.stdout).toContain('create');
  });

  it('says what is missing when there is no database, or it does not answer', async () => {
    const none = await ops({ PATH: process.env.PATH, DATA_DIR: directory.path }, 'application', 'list', '--json');
    expect(none).toMatchObject({ exitCode: 1, stdout: '' });
    expect(failure(none)).toMatchObject({ code: 'NotConfigured', message: expect.stringContaining('DATABASE_URL') });

    const away = await ops({ ...env, DATABASE_URL: 'postgresql://u:hunter2@127.0.0.1:1/none' }, 'application', 'list');
    expect(away).toMatchObject({ exitCode: 1, stdout: '' });
    expect(failure(away)).toMatchObject({ code: 'DatabaseUnavailable' });
    expect(away.stderr).not.toContain('hunter2');
  });
});
