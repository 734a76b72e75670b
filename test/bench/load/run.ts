/**
 * `npm run load`: what the service does under a constant load, and beyond it. Prints one line of JSON, and on stderr what
 * is not as it has to be; then the exit code is 1.
 *
 *   npm run load                         300 requests a second of one application, for half a minute
 *   npm run load -- --minutes 10         the same for longer; only then is memory judged
 *   npm run load -- --overload           three times what the API can do, for half a minute
 *   npm run load -- --backlog 1000000    messages that wait
 *
 * Less of it, or on a machine that has more to do: `--per-second 60`, `--slack 3` (times may be three times as long),
 * `--slice 500` (of a backlog, what is measured at a time). `--setting NAME=value` (any number of them): of api and
 * worker; `--worker-setting`: of the worker under a constant load alone.
 */
import { parseArgs } from 'node:util';
import { backlog } from './backlog.js';
import { constantLoad } from './constant-load.js';
import { startManyAccounts } from './many-accounts.js';
import { overload } from './overload.js';
import { wrongWithBacklog, wrongWithLoad, wrongWithOverload } from './verdicts.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '0.5' },
    'per-second': { type: 'string', default: '300' },
    overload: { type: 'boolean', default: false },
    backlog: { type: 'string' },
    slice: { type: 'string', default: '5000' },
    slack: { type: 'string', default: '1' },
    setting: { type: 'string', multiple: true, default: [] },
    'worker-setting': { type: 'string', multiple: true, default: [] },
  },
});

/** @throws Error naming the option */
function numberOf(name: 'minutes' | 'per-second' | 'backlog' | 'slice' | 'slack', least: number, most: number): number {
  const value = Number(values[name]);
  if (!(value >= least && value <= most)) throw new Error(`--${name}: ${least} to ${most}`);
  return value;
}

const minutes = numberOf('minutes', 0.05, 60);
const slack = numberOf('slack', 1, 1_000);
const settings = environmentOf(values.setting);

function environmentOf(given: string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    given.map((setting) => {
      const [name = '', ...value] = setting.split('=');
      return [name, value.join('=')];
    }),
  );
}

const { wrong, ...seen } = await (values.overload ? beyond() : values.backlog !== undefined ? waiting() : constant());
console.log(JSON.stringify(seen));
for (const each of wrong) console.error(`NOT AS IT HAS TO BE: ${each}`);
process.exit(wrong.length === 0 ? 0 : 1);

async function constant() {
  const workerSettings = environmentOf(values['worker-setting']);
  const seen = await constantLoad({ minutes, perSecond: numberOf('per-second', 1, 10_000), settings, workerSettings });
  return { ...seen, wrong: wrongWithLoad(seen, slack) };
}

async function beyond() {
  const many = await startManyAccounts(settings);
  try {
    const seen = await overload({
      origin: many.service.baseUrl,
      call: many.list,
      times: 3,
      forMs: minutes * 60_000,
      peakMs: Math.min(5_000, minutes * 15_000),
    });
    return { ...seen, wrong: wrongWithOverload(seen, slack) };
  } finally {
    await many.stop();
  }
}

async function waiting() {
  const seen = await backlog({
    messages: numberOf('backlog', 1, 10_000_000),
    slice: numberOf('slice', 100, 100_000),
    settings,
  });
  return { ...seen, wrong: wrongWithBacklog(seen, slack) };
}
