/**
 * The rate at which pushes of a hundred channels are taken, each written down before its answer, against a bare Nest +
 * Express hello.
 */
import { KeyRing } from '#persistence';
import { openPersistence } from '../persistence/persistence.js';
import { newLiveChannel } from '../support/live-channel.js';
import { startService } from '../support/service.js';
import { requestRate, startHello } from './request-rate.js';
import { byTurns, compared } from './rounds.js';

const ROUNDS = 5;
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
  const rounds = await byTurns(
    ROUNDS,
    () => requestRate({ url: `${service.baseUrl}/api/v1/providers/google/notifications`, requests }),
    () => requestRate({ url: hello.url }),
  );
  const { ours: our, theirs: their, ratio } = compared(rounds, (rate) => rate);
  const row = {
    name: 'Pushes of GOOGLE taken and written down against a bare Nest + Express hello, requests/s',
    ratio,
    limit: 0.4,
    sense: 'at least',
    detail: `${Math.round(our)}/s against ${Math.round(their)}/s`,
  };
  console.log(JSON.stringify([row]));
} finally {
  hello.stop();
  await persistence.close();
  await service.stop();
}
process.exit();
