import { randomBytes } from 'node:crypto';
import { connectAccount, startFakeServer, type ConnectedAccount } from '../../support/connected-account.js';
import { CommandLine } from '../../support/command-line.js';
import type { FakeCalDav } from '../../support/fake-caldav.js';
import { asAdmin, createTestDatabase } from '../../support/postgres.js';
import { startRedis } from '../../support/redis.js';
import { freePort } from '../../support/processes.js';
import { startService, type Service } from '../../support/service.js';
import type { OpsResult } from '../../support/stack.js';

const NOBODY = '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5';

let service: Service;
let server: FakeCalDav;
let connected: ConnectedAccount;
let commands: CommandLine;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  service = await startService({ EGRESS_ALLOW: '127.0.0.0/8' });
  server = await startFakeServer('work');
  connected = await connectAccount(service, server);
  commands = CommandLine.start();
  // The service is told its public address before it knows its port.
  env = { ...service.env, PUBLIC_URL: service.baseUrl };
});
afterAll(async () => {
  await service.stop();
  await server.close();
});

const run = (...args: string[]): Promise<OpsResult> => commands.run(env, ...args);
const failureOf = ({ stderr }: OpsResult): unknown => JSON.parse(stderr.trim().split('\n').at(-1) ?? '');

describe('ops account', () => {
  it('lists accounts, page by page, by application, status and text', async () => {
    const other = await startFakeServer('other');
    try {
      const second = await connectAccount(service, other);
      const first = (await run('account', 'list', '--limit', '1', '--json')).json() as any;
      expect(first.data).toMatchObject([{ id: second.accountId, status: 'ACTIVE', providerType: 'CALDAV' }]);
      const rest = await run('account', 'list', '--limit', '1', '--page-token', first.nextPageToken, '--json');
      expect(rest.json()).toMatchObject({ data: [{ id: connected.accountId }], nextPageToken: null });
      expect((await run('account', 'list', '--limit', '1')).stdout).toMatch(/More: --page-token \S+\n$/);
      await service.call('DELETE', `/v1/endUserAccounts/${second.accountId}`);
    } finally {
      await other.close();
    }
    expect((await run('account', 'list', '--search', connected.accountId)).stdout).toMatch(
      new RegExp(`^ACCOUNT .*\n${connected.accountId} .* CALDAV +${server.login.username} +ACTIVE +20\\d\\d-.*\n$`),
    );
    for (const filter of [
      ['--status', 'expired'],
      ['--application', NOBODY],
    ]) {
      expect((await run('account', 'list', ...filter, '--json')).json()).toMatchObject({ data: [] });
    }
  });

  it('shows one, and checks it at its provider', async () => {
    const shown = await run('account', 'show', '--id', connected.accountId, '--json');
    expect(shown.json()).toMatchObject({
      id: connected.accountId,
      status: 'ACTIVE',
      history: [{ status: 'CONNECTED' }],
    });
    expect((await run('account', 'show', '--id', connected.accountId)).stdout).toMatch(/^status +ACTIVE since /m);
    const before = server.requests.length;
    const checked = await run('account', 'check', '--id', connected.accountId, '--json');
    expect(checked.json()).toMatchObject({ accountId: connected.accountId, calendars: [{ id: connected.calendarId }] });
    expect(server.requests.length).toBeGreaterThan(before);
  });

  it('tells what the provider says of credentials that it refuses', async () => {
    const { password } = server.login;
    server.login.password = 'changed';
    const rejected = await run('account', 'check', '--id', connected.accountId);
    server.login.password = password;
    expect(rejected).toMatchObject({ exitCode: 1, stdout: '' });
    // Servers refuse by mistake, too: it counts when it is confirmed.
    expect(failureOf(rejected)).toMatchObject({ code: 'ProviderUnavailable' });
    const shown = (await run('account', 'show', '--id', connected.accountId, '--json')).json();
    expect(shown).toMatchObject({ status: 'ACTIVE', lastFailure: { reason: 'rejection_unconfirmed' } });
    expect(await run('account', 'check', '--id', connected.accountId)).toMatchObject({ exitCode: 0 });
  });

  it.each([
    [['account', 'show', '--id', NOBODY], 1, 'NotFound'],
    [['account', 'check', '--id', 'x'], 1, 'NotFound'],
    [['account', 'show'], 2, 'Usage'],
    [['account', 'list', '--status', 'gone'], 2, 'Usage'],
    [['account', 'list', '--limit', '0'], 2, 'Usage'],
    [['account', 'list', '--page-token', 'x'], 1, 'PageTokenInvalid'],
    [['endpoint', 'enable', '--id', NOBODY], 1, 'NotFound'],
    [['endpoint', 'recover', '--id', NOBODY], 2, 'Usage'],
    [['message', 'resend', '--id', 'msg_x'], 1, 'NotFound'],
    [['operator', 'remove', '--email', 'nobody@example.test'], 1, 'NotFound'],
    [['operator-token', 'create', '--name', 'x'], 2, 'Usage'],
    [['operator-token', 'create', '--name', 'x', '--scopes', 'all'], 2, 'ValidationFailed'],
    [['operator-token', 'create', '--name', 'x', '--scopes', 'keys:read', '--expires', 'never'], 2, 'ValidationFailed'],
    [['operator-token', 'revoke', '--id', NOBODY], 1, 'NotFound'],
  ])('%j ends with exit code %i and %s', async (args, exitCode, code) => {
    const result = await run(...args);
    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(failureOf(result)).toMatchObject({ code });
  });
});

describe('ops endpoint and ops message', () => {
  it('lists endpoints, enables a disabled one, and sends its messages again, in the audit log', async () => {
    const made = await service.call('POST', '/v1/webhookEndpoints', {
      body: { url: 'https://8.8.8.8/hook', eventTypes: ['enduseraccount.created'] },
    });
    const id = made.body.id as string;
    await service.call('POST', `/v1/webhookEndpoints/${id}/test`);
    const sql = (text: string) =>
      asAdmin(service.adminDatabaseUrl, async (admin) => (await admin.query(text, [id])).rows);
    await sql("update webhook_endpoint set disabled_at = now(), disabled_reason = 'gone' where id = $1");
    const [message] = await sql('select id from webhook_message where endpoint_id = $1');
    const messageId = `msg_${String(message?.id)}`;

    const listed = (await run('endpoint', 'list', '--application', service.applicationId, '--json')).json() as any;
    expect(listed.data).toMatchObject([{ id, disabledReason: 'gone' }]);
    expect((await run('endpoint', 'list')).stdout).toMatch(new RegExp(`${id} .* disabled `));
    expect((await run('endpoint', 'enable', '--id', id, '--json')).json()).toEqual({ endpointId: id, enabled: true });
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const recovered = await run('endpoint', 'recover', '--id', id, '--since', since, '--json');
    expect(recovered.json()).toEqual({ endpointId: id, recovered: expect.any(Number) });
    const list = await service.call('GET', `/v1/webhookEndpoints/${id}/messages`);
    const resent = await run('message', 'resend', '--id', list.body.data[0].id ?? messageId, '--json');
    expect(resent.json()).toMatchObject({ resent: true });
    const actions = await asAdmin(service.adminDatabaseUrl, async (admin) => {
      const { rows } = await admin.query(
        "select action from audit_entry where actor = 'ops' and action like 'webhook-%' order by id",
      );
      return rows.map(({ action }) => action as string);
    });
    expect(actions).toEqual(['webhook-endpoint.enabled', 'webhook-endpoint.recovered', 'webhook-message.resent']);
  });
});

describe('ops operator-token', () => {
  it('creates a token, shows it once, lists and revokes it, in the audit log', async () => {
    const create = ['operator-token', 'create', '--name', 'GitOps', '--scopes', 'applications:write,keys:write'];
    const { token, ...created } = (await run(...create, '--expires', '30', '--json')).json() as any;
    expect(created).toMatchObject({ name: 'GitOps', scopes: ['applications:write', 'keys:write'], createdBy: null });
    expect((await run(...create)).stdout).toMatch(/^uco_[0-9a-f]{32}_[\w-]{43}\n\nToken \S+, expires 20\S+\. It is/);
    const use = async () =>
      (
        await fetch(`${service.baseUrl}/api/operator/v1/applications`, {
          headers: { authorization: `Bearer ${token}` },
        })
      ).status;
    expect(await use()).toBe(200);
    const listed = await run('operator-token', 'list');
    expect(listed.stdout).toMatch(
      new RegExp(`^TOKEN .*${created.id} +GitOps +applications:write,keys:write +ops +`, 's'),
    );
    expect(listed.stdout).not.toContain(token.slice(-43));
    expect((await run('operator-token', 'revoke', '--id', created.id, '--json')).json()).toEqual({
      ...{ id: created.id, revoked: true },
    });
    expect(await use()).toBe(401);
    const actions = await asAdmin(service.adminDatabaseUrl, async (admin) => {
      const { rows } = await admin.query('select actor, action from audit_entry where subject = $1 order by id', [
        `operator-token:${created.id}`,
      ]);
      return rows;
    });
    expect(actions).toEqual([
      { actor: 'ops', action: 'operator-token.created' },
      { actor: 'ops', action: 'operator-token.revoked' },
    ]);
  });

  it.each([
    [['operator', 'create', '--email', 'ada@example.com']],
    [['operator-token', 'create', '--name', 'x', '--scopes', 'keys:read']],
  ])('%j makes no way into an operator API that is off', async (args) => {
    const result = await commands.run({ ...env, OPERATOR_URL: 'off' }, ...args);
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toContain('OPERATOR_URL is off');
  });
});

describe('ops operator', () => {
  it('lists operators, and keeps the last admin', async () => {
    await asAdmin(service.adminDatabaseUrl, (admin) =>
      admin.query(
        'insert into operator (id, email, name, role, created_at) select gen_random_uuid(), email, email, role, now() ' +
          "from (values ('ada@example.test', 'admin'), ('grace@example.test', 'viewer')) one (email, role)",
      ),
    );
    expect((await run('operator', 'list')).stdout).toMatch(/ada@example\.test +admin +never/);
    expect((await run('operator', 'remove', '--email', 'Grace@example.test', '--json')).json()).toMatchObject({
      removed: true,
    });
    expect(failureOf(await run('operator', 'remove', '--email', 'ada@example.test'))).toMatchObject({
      code: 'Conflict',
    });
    const { data } = (await run('operator', 'list', '--json')).json() as any;
    expect(data.map(({ email }: { email: string }) => email)).toEqual(['ada@example.test']);
  });
});

describe('ops migrate --dry-run', () => {
  it('names what would be applied, and applies nothing', async () => {
    const empty = await createTestDatabase({ migrated: false });
    const dryRun = () => commands.run({ ...env, DATABASE_URL: empty.url }, 'migrate', '--dry-run', '--json');
    const first = await dryRun();
    expect(first.json().pending).not.toEqual([]);
    expect((await dryRun()).json()).toEqual(first.json());
    await empty.drop();
    expect((await run('migrate', '--dry-run')).stdout).toBe('The schema is up to date.\n');
  });
});

describe('ops doctor', () => {
  const examine = async (changes: NodeJS.ProcessEnv = {}) => {
    const result = await commands.run({ ...env, ...changes }, 'doctor', '--json');
    const { checks } = result.json() as unknown as {
      checks: { name: string; state: string; message: string; advice?: string }[];
    };
    return { result, states: Object.fromEntries(checks.map(({ name, state }) => [name, state])), checks };
  };

  it('finds nothing wrong with an installation that works, one line each', async () => {
    const { result, states } = await examine();
    expect(result).toMatchObject({ exitCode: 0 });
    // The address of the test is not https.
    expect(states).toEqual({ settings: 'ok', database: 'ok', clock: 'ok', keys: 'ok', redis: 'ok', push: 'warn' });
    const lines = (await run('doctor')).stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    expect(lines[1]).toMatch(/^ok {4}database {2}PostgreSQL \d+(\.\d+)?, the schema is up to date\.$/);
  });

  it.each<[string, () => NodeJS.ProcessEnv | Promise<NodeJS.ProcessEnv>, string]>([
    ['settings', () => ({ RATE_LIMIT_RPS: 'many', BODY_LIMIT_BYTES: '1' }), 'RATE_LIMIT_RPS'],
    ['database', async () => ({ DATABASE_URL: `postgresql://u:p@127.0.0.1:${await freePort()}/x` }), 'DATABASE_URL'],
    ['redis', async () => ({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` }), 'REDIS_URL'],
    ['push', async () => ({ PUBLIC_URL: `http://127.0.0.1:${await freePort()}` }), 'PUBLIC_URL'],
    ['push', () => ({ PUBLIC_URL: server.url }), 'load balancer'],
    ['keys', () => ({ ENCRYPTION_KEYS: `other:${randomBytes(32).toString('base64')}` }), 'after-restore --keys-lost'],
  ])('says what to do when %s is wrong', async (name, changes, advice) => {
    const { result, checks } = await examine(await changes());
    expect(result).toMatchObject({ exitCode: 1 });
    expect(failureOf(result)).toMatchObject({ code: 'ChecksFailed' });
    const check = checks.find((one) => one.name === name && one.state === 'fail');
    expect(`${check?.message} ${check?.advice}`).toContain(advice);
    expect(checks.filter(({ state }) => state === 'fail')).toHaveLength(1);
  });

  it('says that the schema is old, that a key can not be removed yet, and that Redis is there', async () => {
    const empty = await createTestDatabase({ migrated: false });
    const old = await examine({ DATABASE_URL: empty.url });
    expect(old.checks).toContainEqual(expect.objectContaining({ name: 'database', advice: 'Run "ops migrate".' }));
    await empty.drop();
    const next = `next:${randomBytes(32).toString('base64')},${env.ENCRYPTION_KEYS}`;
    expect((await examine({ ENCRYPTION_KEYS: next })).states).toMatchObject({ keys: 'warn' });
    const redis = await startRedis();
    expect((await examine({ REDIS_URL: redis.url })).states).toMatchObject({ redis: 'ok' });
    await redis.stop();
  });
});
