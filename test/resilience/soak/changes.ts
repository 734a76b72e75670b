/**
 * `npm run soak [-- <changes>]`: W20 at its full size, 10,000 changes unless told otherwise. Changes at Google go through
 * api, worker, database and queue to a receiver over https, while one of the workers is killed and replaced a third and two
 * thirds of the way. Each change has to reach the receiver, otherwise the exit code is 1.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/processes.js';
import { startWebhookSystem, type Subscribed } from '../../support/webhook-system.js';

const CHANGES = Number(process.argv[2] ?? 10_000);
const CALENDARS = 50;
const PER_SECOND = 60;

const system = await startWebhookSystem({
  WEBHOOK_COALESCE_MS: '0',
  GOOGLE_REQUESTS_PER_MINUTE: '100000',
  LOG_LEVEL: 'warn',
});
let [first, second] = [await system.startWorker(), await system.startWorker()];
const calendars: Subscribed[] = [];
for (let count = 0; count < CALENDARS; count += 1) calendars.push(await system.subscribe('GOOGLE'));

const startAt = performance.now();
const made: Promise<void>[] = [];
for (let turn = 0; turn < CHANGES; turn += 1) {
  await sleep(Math.max(0, startAt + (turn * 1_000) / PER_SECOND - performance.now()));
  made.push(system.change(calendars[turn % CALENDARS]!, `Change ${turn}`));
  if (turn === Math.floor(CHANGES / 3) || turn === Math.floor((2 * CHANGES) / 3)) {
    first.child.kill('SIGKILL');
    [first, second] = [second, await system.startWorker()];
  }
}
await Promise.all(made);
const changedMs = performance.now() - startAt;
await eventually(
  'calendars are quiet',
  async () => {
    const [row] = await system.fixture.GOOGLE.admin(
      "select count(*)::int as busy from synced_calendar where next_sync_at < now() + interval '1 minute'",
    );
    return row?.['busy'] === 0 ? true : undefined;
  },
  { timeoutMs: 120_000, everyMs: 1_000 },
);
const announced = await system.announced();
await system.receiver.receives(announced.length, undefined, 120_000).catch(() => undefined);
const received = system.receiver.ids();
const [lost, unknown] = [announced, received].map((ids, side) => {
  const others = new Set(side === 0 ? received : announced);
  return ids.filter((id) => !others.has(id)).length;
});
const last = calendars.filter(({ path }) => system.receiver.at(path).length === 0).length;
console.log(
  JSON.stringify({
    changes: CHANGES,
    changesPerSecond: Math.round((CHANGES * 1_000) / changedMs),
    announced: announced.length,
    received: received.length,
    lost,
    unknown,
    calendarsNeverNotified: last,
    repeated: system.receiver.receipts.length - received.length,
  }),
);
await system.stop();
process.exit(lost === 0 && unknown === 0 && last === 0 ? 0 : 1);
