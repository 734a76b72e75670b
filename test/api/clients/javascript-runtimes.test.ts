// 20 s: the built client runs on Node 20.3 to 24, Bun, Deno and workerd, which is what Cloudflare's workers run on.
import { createHmac, randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGoogleService, type GoogleService } from '../../support/google-service.js';
import { javaScriptRuntime, type JavaScriptRuntime } from '../../support/javascript-runtimes.js';
import { freePort, outputOf, runProgram, startServer, temporaryDirectory } from '../../support/processes.js';

const CLIENT = join(import.meta.dirname, '..', '..', '..', 'clients/typescript');

/** What an application does with the client. */
const PROGRAM = `
export async function run(client, { baseUrl, apiKey, endUserAccountId, delivery }) {
  const tries = [];
  const { createClient, NotFoundError, verifyWebhook, WebhookVerificationError } = client;
  const calendar = createClient({ baseUrl, apiKey, logger: ({ operation, status }) => tries.push(operation + ' ' + status) });
  const at = { endUserAccountId, calendarId: 'primary' };
  const { id: eventId } = await calendar.events.create(at, { title: 'Lunch', start: { dateTime: '2033-03-01T12:00:00Z' } });
  const titles = [];
  for await (const event of calendar.events.listAll(at)) titles.push(event.title);
  await calendar.events.delete({ ...at, eventId });
  const gone = await calendar.calendars.get({ ...at, calendarId: 'none' }).catch((error) => error instanceof NotFoundError);
  const { id, body } = await verifyWebhook(delivery);
  const forged = await verifyWebhook({ ...delivery, body: delivery.body + ' ' }).catch(
    (error) => error instanceof WebhookVerificationError,
  );
  return { titles, gone, webhook: [id, body.eventType], forged, tries };
}
`;

const EXPECTED = {
  titles: ['Lunch'],
  gone: true,
  webhook: ['msg_1', 'calendar.event.changed'],
  forged: true,
  tries: ['createEvent 200', 'listEvents 200', 'deleteEvent 200', 'getCalendar 404'],
};

/** A delivery as the service signs it (Standard Webhooks). */
function signedDelivery() {
  const key = randomBytes(24);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const body = JSON.stringify({ eventType: 'calendar.event.changed', timestamp: '2033-03-01T12:00:00.000Z' });
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64');
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  return { secret: `whsec_${key.toString('base64')}`, body, headers };
}

describe('the TypeScript client', () => {
  let google: GoogleService;
  let directory: { path: string; remove(): Promise<void> };
  let input: object;

  beforeAll(async () => {
    google = await startGoogleService();
    directory = await temporaryDirectory('runtimes');
    const { accountId } = await google.connected('ada@example.com');
    const { baseUrl, apiKey } = google.service;
    input = { baseUrl, apiKey, endUserAccountId: accountId, delivery: signedDelivery() };
    await outputOf(process.execPath, ['build.mjs', join(directory.path, 'client')], CLIENT);
    const write = (name: string, text: string) => writeFileSync(join(directory.path, name), text);
    const given = JSON.stringify(input);
    write('package.json', '{ "type": "module" }');
    write('program.js', PROGRAM);
    write(
      'modules.js',
      `import * as client from './client/index.js';
       import { run } from './program.js';
       console.log(JSON.stringify(await run(client, ${given})));`,
    );
    write(
      'commonjs.cjs',
      `const client = require('./client/cjs/index.js');
       import('./program.js').then(({ run }) => run(client, ${given})).then((all) => console.log(JSON.stringify(all)));`,
    );
    write(
      'worker.js',
      `import * as client from './client/index.js';
       import { run } from './program.js';
       export default { async fetch() { return Response.json(await run(client, ${given})); } };`,
    );
  });

  afterAll(async () => {
    await google?.stop();
    await directory?.remove();
  });

  it.each<[JavaScriptRuntime, string, string[]]>([
    ['node20', 'modules.js', []],
    ['node20', 'commonjs.cjs', []],
    ['node22', 'modules.js', []],
    ['node22', 'commonjs.cjs', []],
    ['node24', 'modules.js', []],
    ['node24', 'commonjs.cjs', []],
    ['bun', 'modules.js', ['run']],
    ['bun', 'commonjs.cjs', ['run']],
    ['deno', 'modules.js', ['run', '--allow-net=127.0.0.1', '--no-remote']],
  ])('works on %s (%s)', async (runtime, file, options) => {
    const output = await outputOf(javaScriptRuntime(runtime), [...options, file], directory.path, {
      DENO_DIR: join(directory.path, '.deno'),
      DENO_NO_UPDATE_CHECK: '1',
    });
    expect(JSON.parse(output)).toEqual(EXPECTED);
  });

  it('works on workerd, without a file system or modules of Node', async () => {
    const port = await freePort();
    const modules = readdirSync(join(directory.path, 'client'), { recursive: true })
      .map((name) => `client/${String(name)}`)
      .filter((name) => name.endsWith('.js') && !name.includes('/cjs/'));
    // The first module is the entry.
    const listed = ['worker.js', 'program.js', ...modules].map(
      (name) => `(name = "${name}", esModule = embed "${name}")`,
    );
    writeFileSync(
      join(directory.path, 'worker.capnp'),
      `using Workerd = import "/workerd/workerd.capnp";
       const config :Workerd.Config = (
         services = [
           (name = "main", worker = (modules = [${listed.join(', ')}], compatibilityDate = "2026-01-01")),
           (name = "internet", network = (allow = ["private", "local"])),
         ],
         sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
       );`,
    );
    const ask = () => fetch(`http://127.0.0.1:${port}/`);
    const worker = await startServer(
      'workerd',
      () =>
        runProgram(javaScriptRuntime('workerd'), ['serve', 'worker.capnp'], {
          ...{ cwd: directory.path, env: { PATH: process.env['PATH'] } },
        }),
      async () => (await fetch(`http://127.0.0.1:${port}/`, { method: 'HEAD' })).status > 0,
    );
    try {
      const response = await ask();
      const text = await response.text();
      expect([response.status, text, worker.stderr()]).toEqual([200, JSON.stringify(EXPECTED), '']);
    } finally {
      await worker.stop();
    }
  });
});
