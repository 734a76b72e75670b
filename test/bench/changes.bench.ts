/** From a change at the provider to the receiver, through api, worker, database and queue. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/processes.js';
import { startWebhookSystem, type Subscribed } from '../support/webhook-system.js';

const CALENDARS = 50;
const PER_SECOND = 100;
const FOR_MS = 20_000;
/** Not counted: code is compiled, connections are made. */
const WARM_MS = 5_000;

const system = await startWebhookSystem({
  WEBHOOK_COALESCE_MS: '0',
  GOOGLE_REQUESTS_PER_MINUTE: '100000',
  RATE_LIMIT_RPS: '1000000',
  LOG_LEVEL: 'warn',
});
await system.startWorker();
const calendars: Subscribed[] = [];
for (let count = 0; count < CALENDARS; count += 1) calendars.push(await system.subscribe('GOOGLE'));

/** A calendar is changed again when its last change has arrived: which message is of which change is then known. */
const underWay = new Map<string, { atMs: number; counts: boolean }>();
const takenMs: number[] = [];
let skipped = 0;
let seen = 0;
const collect = () => {
  for (; seen < system.receiver.receipts.length; seen += 1) {
    const { path, atMs } = system.receiver.receipts[seen]!;
    const change = underWay.get(path);
    underWay.delete(path);
    if (change?.counts === true) takenMs.push(atMs - change.atMs);
  }
};
const startAt = performance.now();
const changes: Promise<void>[] = [];
for (let turn = 0; turn < ((WARM_MS + FOR_MS) / 1_000) * PER_SECOND; turn += 1) {
  const dueMs = (turn * 1_000) / PER_SECOND;
  await sleep(Math.max(0, startAt + dueMs - performance.now()));
  collect();
  const calendar = calendars[turn % CALENDARS]!;
  if (underWay.has(calendar.path)) {
    skipped += 1;
  } else {
    underWay.set(calendar.path, { atMs: Date.now(), counts: dueMs > WARM_MS });
    changes.push(system.change(calendar, 'Change'));
  }
}
await Promise.all(changes);
await eventually('everything has arrived', () => {
  collect();
  return underWay.size === 0 ? true : undefined;
});
await system.stop();

takenMs.sort((one, other) => one - other);
const quantile = (share: number) => takenMs[Math.floor(takenMs.length * share)]!;
const detail = `${takenMs.length} changes of ${CALENDARS} calendars, ${skipped} left out: the one before was under way`;
const row = (name: 'p50' | 'p99', share: number, limit: number) => ({
  name: `Milliseconds from a change at GOOGLE to its receiver, ${name}, ${PER_SECOND} changes a second`,
  ratio: quantile(share),
  limit,
  detail,
});
console.log(JSON.stringify([row('p50', 0.5, 60), row('p99', 0.99, 300)]));
process.exit();
