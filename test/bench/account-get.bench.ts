/** The rate at which one account is read, through all guards and the database, against a bare Nest + Express hello. */
import { FakeCalDav } from '../support/fake-caldav.js';
import { startService } from '../support/service.js';
import { requestRate, startHello } from './request-rate.js';
import { byTurns, compared } from './rounds.js';

const ROUNDS = 5;

const hello = await startHello();
const fake = await FakeCalDav.start();
const service = await startService({ EGRESS_ALLOW: fake.egressAllow, RATE_LIMIT_RPS: '1000000' });
try {
  const connected = await service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, {
    body: { serverUrl: fake.url, email: fake.login.username, password: fake.login.password },
  });
  const ours = `${service.baseUrl}/api/v1/endUserAccounts/${connected.body.id}`;
  const rounds = await byTurns(
    ROUNDS,
    () => requestRate({ url: ours, headers: { 'x-api-key': service.apiKey } }),
    () => requestRate({ url: hello.url }),
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
  hello.stop();
  await service.stop();
  await fake.close();
}
process.exit();
