/**
 * The rate at which pushes of a hundred channels are taken, each written down before its answer, against a bare Nest +
 * Express hello.
 */
import { KeyRing } from '#persistence';
import { openPersistence } from '../persistence/persistence.js';
import { newLiveChannel } from '../support/live-channel.js';
import { startService } from '../support/service.js';
import { againstHello, startHello } from './request-rate.js';

const CHANNELS = 100;

const hello = await startHello();
const service = await startService();
const { DATABASE_URL: url = '', ENCRYPTION_KEYS: keys = '' } = service.env;
const persistence = await openPersistence({
  testDatabase: { url, adminUrl: service.adminDatabaseUrl, drop: () => Promise.resolve() },
  keyRing: KeyRing.parse(keys),
});
try {
  const requests: { method: 'POST'; headers: Record<string, string> }[] = [];
  for (let n = 0; n < CHANNELS; n += 1) {
    const { channelId, token } = await newLiveChannel(persistence);
    const headers = {
      'content-length': '0',
      'x-goog-channel-id': channelId,
      'x-goog-channel-token': token,
      'x-goog-resource-state': 'exists',
    };
    requests.push({ method: 'POST', headers });
  }
  const ours = { url: `${service.baseUrl}/api/v1/providers/google/notifications`, requests };
  const row = await againstHello('Pushes of GOOGLE taken and written down', hello, ours, 0.2);
  console.log(JSON.stringify([row]));
} finally {
  hello.stop();
  await persistence.close();
  await service.stop();
}
process.exit();
