/** The rate at which one account is read, through all guards and the database, against a bare Nest + Express hello. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { FakeCalDav } from '../support/fake-caldav.js';
import { startService } from '../support/service.js';
import { byTurns, compared } from './rounds.js';

const ROUNDS = 5;
const SECONDS = 4;
const CONNECTIONS = 20;

async function rate(url: string, headers: Record<string, string> = {}): Promise<number> {
  const result = await autocannon({ url, headers, connections: CONNECTIONS, duration: SECONDS });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers were no success`);
  return result.requests.average;
}

const hello = spawn(process.execPath, [join(import.meta.dirname, 'hello.mjs')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [port] = (await once(hello.stdout, 'data')) as [Buffer];
const fake = await FakeCalDav.start();
const service = await startService({ EGRESS_ALLOW: fake.egressAllow, RATE_LIMIT_RPS: '1000000' });
try {
  const connected = await service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, {
    body: { serverUrl: fake.url, email: fake.login.username, password: fake.login.password },
  });
  const ours = `${service.baseUrl}/api/v1/endUserAccounts/${connected.body.id}`;
  const bare = `http://127.0.0.1:${String(port).trim()}/hello`;
  const rounds = await byTurns(
    ROUNDS,
    () => rate(ours, { 'x-api-key': service.apiKey }),
    () => rate(bare),
  );
  const { ours: our, theirs: their, ratio } = compared(rounds, (requests) => requests);
  const row = {
    name: 'GET of one account against a bare Nest + Express hello, requests/s',
    ratio,
    limit: 0.4,
    sense: 'at least',
    detail: `${Math.round(our)}/s against ${Math.round(their)}/s`,
  };
  console.log(JSON.stringify([row]));
} finally {
  hello.kill();
  await service.stop();
  await fake.close();
}
process.exit();
