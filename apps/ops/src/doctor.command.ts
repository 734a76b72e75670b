import { Command } from 'nest-commander';
import { EgressError, GuardedEgress } from '#egress';
import { RedisPolicy } from '#jobs';
import { inspectDatabase, KeyRing, missingMigrations, type DatabaseInspection } from '#persistence';
import { ConfigError, type Config } from '#platform';
import { findConfig } from './connection.js';
import { ReportingCommand } from './ops-command.js';
import { ChecksFailed, NotConfigured, print } from './output.js';

const TIMEOUT_MS = 10_000;
/** Signatures of webhooks and tokens of providers allow minutes; what is due is compared to the database's clock. */
const MAX_SKEW_MS = 5_000;
const MAX_DOCUMENT_BYTES = 4 * 1_048_576;

interface Check {
  name: 'settings' | 'database' | 'clock' | 'keys' | 'redis' | 'push';
  state: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do. Missing for `ok`. */
  advice?: string;
}

@Command({
  name: 'doctor',
  description: 'Check settings, database, clock, encryption keys, Redis and the public address. Changes nothing.',
})
export class DoctorCommand extends ReportingCommand {
  override async run(_: string[], options: { json?: boolean }): Promise<void> {
    const checks = await examine();
    print({ checks }, options, () => checks.map(lineOf).join('\n'));
    const failed = checks.filter(({ state }) => state === 'fail').length;
    if (failed > 0) throw new ChecksFailed(`${failed} of ${checks.length} checks failed.`);
  }
}

function lineOf({ name, state, message, advice }: Check): string {
  return `${state.padEnd(5)} ${name.padEnd(9)} ${message}${advice === undefined ? '' : ` ${advice}`}`;
}

async function examine(): Promise<Check[]> {
  let config: Config;
  try {
    config = findConfig(process.env);
  } catch (error) {
    if (error instanceof NotConfigured) return [settingsProblem([error.message])];
    if (error instanceof ConfigError) return [settingsProblem(error.problems)];
    throw error;
  }
  const settings: Check = { name: 'settings', state: 'ok', message: 'All settings can be used.' };
  return [settings, ...(await databaseChecks(config)), await redisCheck(config), await pushCheck(config)];
}

function settingsProblem(problems: string[]): Check {
  const advice = 'docs/operations/configuration.md lists every setting.';
  return { name: 'settings', state: 'fail', message: `${problems.join('; ')}.`.replace(/\.\.$/, '.'), advice };
}

async function databaseChecks({ databaseUrl, encryptionKeys }: Config): Promise<Check[]> {
  try {
    const missing = await missingMigrations(databaseUrl, TIMEOUT_MS);
    if (missing.length > 0) {
      const message = `The schema lacks ${missing.length} migration(s).`;
      return [{ name: 'database', state: 'fail', message, advice: 'Run "ops migrate".' }];
    }
    const inspection = await inspectDatabase(databaseUrl);
    const message = `PostgreSQL ${inspection.serverVersion}, the schema is up to date.`;
    return [{ name: 'database', state: 'ok', message }, clockCheck(inspection), keysCheck(inspection, encryptionKeys)];
  } catch (error) {
    const advice = 'Check DATABASE_URL, the network, and the role of the database.';
    return [{ name: 'database', state: 'fail', message: `${sentenceOf(error)}`, advice }];
  }
}

function clockCheck({ clockSkewMs }: DatabaseInspection): Check {
  const message = `This machine is ${Math.abs(clockSkewMs)} ms ${clockSkewMs > 0 ? 'behind' : 'ahead of'} the database.`;
  if (Math.abs(clockSkewMs) <= MAX_SKEW_MS) return { name: 'clock', state: 'ok', message };
  return { name: 'clock', state: 'fail', message, advice: 'Synchronize both clocks (NTP).' };
}

function keysCheck({ secretsByKey }: DatabaseInspection, encryptionKeys: string): Check {
  const ring = KeyRing.parse(encryptionKeys);
  const current = ring.current().kid;
  const unknown = [...secretsByKey].filter(([keyId]) => ring.byId(keyId) === null);
  if (unknown.length > 0) {
    const named = unknown.map(([keyId, secrets]) => `${secrets} by ${keyId}`).join(', ');
    return {
      name: 'keys',
      state: 'fail',
      message: `Secrets are encrypted with keys that ENCRYPTION_KEYS lacks: ${named}.`,
      advice: 'Add these keys again. If they are lost, run "ops after-restore --keys-lost".',
    };
  }
  const all = [...secretsByKey.values()].reduce((sum, secrets) => sum + secrets, 0);
  const older = all - (secretsByKey.get(current) ?? 0);
  const message = `${all} secrets, ${older} of them not encrypted with the first key, ${current}.`;
  if (older === 0) return { name: 'keys', state: 'ok', message };
  return { name: 'keys', state: 'warn', message, advice: 'Run "ops keys rotate" before you remove a key.' };
}

async function redisCheck({ redisUrl }: Config): Promise<Check> {
  if (redisUrl === undefined) {
    return { name: 'redis', state: 'ok', message: 'Not configured: the queues are in the database.' };
  }
  const redis = new RedisPolicy(redisUrl);
  try {
    await redis.connect();
    await redis.ping();
    return { name: 'redis', state: 'ok', message: 'Answers, and evicts nothing.' };
  } catch (error) {
    const advice = 'Check REDIS_URL and the network, and set maxmemory-policy to noeviction.';
    return { name: 'redis', state: 'fail', message: sentenceOf(error), advice };
  } finally {
    redis.onApplicationShutdown();
  }
}

/** Asks the public address from here, which is not from where providers do. */
async function pushCheck({ publicUrl, egressAllow }: Config): Promise<Check> {
  const { protocol, origin } = new URL(publicUrl);
  const egress = new GuardedEgress({ allow: egressAllow, trustedOrigins: [origin] });
  const url = `${publicUrl.replace(/\/+$/, '')}/api/openapi.json`;
  try {
    const { status } = await egress.request({
      method: 'GET',
      url,
      trust: 'configured',
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_DOCUMENT_BYTES,
    });
    if (status !== 200) {
      const advice = 'PUBLIC_URL must lead to the API of this service. Check the load balancer.';
      return { name: 'push', state: 'fail', message: `${url} answers ${status}.`, advice };
    }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const advice = 'Check DNS, the certificate and the load balancer of PUBLIC_URL.';
    return { name: 'push', state: 'fail', message: `${url} does not answer from here (${error.failure}).`, advice };
  } finally {
    await egress.close();
  }
  if (protocol === 'https:') return { name: 'push', state: 'ok', message: `${origin} answers.` };
  return {
    name: 'push',
    state: 'warn',
    message: `${origin} answers, but providers push to https alone.`,
    advice: 'Without a public https address calendars are polled.',
  };
}

function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /[.!]$/.test(message) ? message : `${message}.`;
}
