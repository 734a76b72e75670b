/**
 * `npm run load`: what the service does under a constant load, and beyond it. Prints one line of JSON; exit code 1 when
 * something is not as it has to be.
 *
 *   npm run load                         300 requests a second of one application, for half a minute
 *   npm run load -- --minutes 10         the same for longer; only then is memory judged
 *   npm run load -- --overload           three times what the API can do, for half a minute
 *   npm run load -- --backlog [1000000]  messages that wait
 */
import { parseArgs } from 'node:util';
import { backlog } from './backlog.js';
import { constantLoad } from './constant-load.js';
import { startManyAccounts } from './many-accounts.js';
import { overload } from './overload.js';

const { values, positionals } = parseArgs({
  options: {
    minutes: { type: 'string', default: '0.5' },
    overload: { type: 'boolean', default: false },
    backlog: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const minutes = Number(values.minutes);
if (!(minutes > 0 && minutes <= 60)) throw new Error('--minutes: more than 0, at most 60');

const { isGood, ...seen } = await (values.overload ? beyond() : values.backlog ? waiting() : constantLoad(minutes));
console.log(JSON.stringify(seen));
process.exit(isGood ? 0 : 1);

async function beyond() {
  const many = await startManyAccounts();
  try {
    const overloaded = await overload({
      origin: many.service.baseUrl,
      call: many.list,
      times: 3,
      forMs: minutes * 60_000,
      peakMs: 5_000,
    });
    const { peaks, goodput, refusal, recoveryMs, statuses } = overloaded;
    const isGood =
      goodput >= 0.8 * Math.min(...peaks) &&
      refusal.p95 < 50 &&
      recoveryMs < 10_000 &&
      Object.keys(statuses).every((status) => status === '200' || status === '503');
    return { ...overloaded, isGood };
  } finally {
    await many.stop();
  }
}

async function waiting() {
  const seen = await backlog({ messages: Number(positionals[0] ?? 1_000_000), slice: 5_000 });
  const { readMs, residentMiB, perSecond } = seen;
  const isGood =
    readMs.backlogged < 1.5 * readMs.empty &&
    residentMiB.backlogged < 1.25 * residentMiB.plain &&
    perSecond.backlogged >= 0.8 * Math.min(...perSecond.plain);
  return { ...seen, isGood };
}
