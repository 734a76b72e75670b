// 80 s: an older commit is compiled, and serves beside this one.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { MIGRATION_NAMES } from '../../libs/persistence/src/migrations/names.js';
import { connectAccount, startFakeServer, type ConnectedAccount } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { reducedCheck } from '../support/reduced-check.js';
import { makeEarlierBuild, migrate } from '../support/other-build.js';
import { temporaryDirectory } from '../support/processes.js';
import { callService, startAnotherApi, startService, type Service } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { runWorker, type WorkerUnderTest } from '../support/worker.js';

const ROOT = join(import.meta.dirname, '..', '..');

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
/** Where the last commit was built that did not know the newest migration. */
let earlier: string;
let fake: FakeCalDav;
let receiver: WebhookReceiver;
let service: Service;
let account: ConnectedAccount;
const workers: WorkerUnderTest[] = [];
let received = 0;

beforeAll(async () => {
  [directory, fake, receiver] = await Promise.all([
    temporaryDirectory('version-before'),
    startFakeServer('work'),
    WebhookReceiver.start(),
  ]);
  earlier = directory.path;
  if (!(await makeEarlierBuild(directory.path))) {
    reducedCheck(
      'F40 the version before the newest migration',
      'the history does not go back to before the newest migration',
    );
    earlier = ROOT;
  }
  service = await startService({ EGRESS_ALLOW: `${fake.egressAllow},${receiver.egressAllow}` }, earlier);
  await service.ops('application', 'set', '--id', service.applicationId, '--polled-webhooks', 'on');
  account = await connectAccount(service, fake);
  await startWorker(earlier);
  const { status } = await account.call('POST', 'calendarSubscriptions', '', {
    body: { calendarId: account.calendarId, webhookUrl: receiver.endpoint('/told') },
  });
  expect(status).toBe(200);
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await service?.stop();
  await Promise.all([receiver?.close(), fake?.close(), directory?.remove()]);
});

async function startWorker(root: string): Promise<WorkerUnderTest> {
  const worker = await runWorker(service.env['DATABASE_URL']!, service.env, root);
  workers.push(worker);
  return worker;
}

/** An account, its events and a new one, which the application is told of. */
async function expectServed(baseUrl: string): Promise<void> {
  const call = <T = any>(method: string, path: string, body?: object) =>
    callService<T>(baseUrl, service.apiKey, method, path, { body });
  const events = `/v1/events/${account.accountId}/${account.calendarId}`;
  expect((await call('GET', `/v1/endUserAccounts/${account.accountId}`)).body).toMatchObject({ status: 'ACTIVE' });
  const created = await call('POST', events, {
    title: `Told ${received}`,
    start: { date: '2026-12-20' },
    end: { date: '2026-12-21' },
  });
  expect(created.status).toBe(200);
  expect((await call('GET', `${events}/${created.body.id}`)).body).toMatchObject({ title: `Told ${received}` });
  await receiver.receives((received += 1));
}

describe('F40 the version before the newest migration', () => {
  it('serves beside this one on what this one made of its data, is rolled back to, and is upgraded again', async () => {
    await expectServed(service.baseUrl);
    const migrated = await migrate(ROOT, service.env);
    expect(migrated.exitCode).toBe(0);
    if (earlier !== ROOT) expect(migrated.applied).toContain(MIGRATION_NAMES.at(-1));
    // Its own processes, which go on.
    await expectServed(service.baseUrl);

    const after = await startAnotherApi(service.env);
    const newer = await startWorker(ROOT);
    for (const { baseUrl } of [after, service]) await expectServed(baseUrl);
    await workers[0]!.stop();
    for (const { baseUrl } of [after, service]) await expectServed(baseUrl);

    expect(await migrate(earlier, service.env)).toMatchObject({ exitCode: 0, applied: [] });
    await startWorker(earlier);
    await newer.stop();
    await after.program.stop();
    const back = await startAnotherApi(service.env, earlier);
    await expectServed(back.baseUrl);
    await back.program.stop();

    expect(await migrate(ROOT, service.env)).toMatchObject({ exitCode: 0, applied: [] });
    const again = await startAnotherApi(service.env);
    await expectServed(again.baseUrl);
    await again.program.stop();
    for (const { stdout, stderr } of [service.program, ...workers]) {
      expect(stdout() + stderr()).not.toMatch(/"level":"(?:error|fatal)"/);
    }
  });
});
