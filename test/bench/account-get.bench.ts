/** The rate at which one account is read, through all guards and the database, against a bare Nest + Express hello. */
import { FakeCalDav } from '../support/fake-caldav.js';
import { startService } from '../support/service.js';
import { againstHello, startHello } from './request-rate.js';

const hello = await startHello();
const fake = await FakeCalDav.start();
const service = await startService({ EGRESS_ALLOW: fake.egressAllow, RATE_LIMIT_RPS: '1000000' });
try {
  const connected = await service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, {
    body: { serverUrl: fake.url, email: fake.login.username, password: fake.login.password },
  });
  const url = `${service.baseUrl}/api/v1/endUserAccounts/${connected.body.id}`;
  const row = await againstHello('GET of one account', hello, { url, headers: { 'x-api-key': service.apiKey } }, 0.3);
  console.log(JSON.stringify([row]));
} finally {
  hello.stop();
  await service.stop();
  await fake.close();
}
process.exit();
