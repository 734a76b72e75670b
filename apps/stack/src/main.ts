import { SchemaMismatch } from '#persistence';
import { ConfigError } from '#platform';
import { AlreadyRunning, DataDirectory } from '#platform/local-stack';
import { PartFailed } from './supervisor.js';
import { PortTaken } from './port.js';
import { Stack } from './stack.js';
import { PartLost } from './supervisor.js';
import { welcomeOf } from './welcome.js';

/** Ctrl-C arrives from the terminal and again through npm: signals this close together count as one. */
const SAME_SIGNAL_MS = 1_000;

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const complain = (error: unknown): void => void process.stderr.write(`${explain(error)}\n`);

/** Errors of the stack have messages for people; other errors need their stack trace. */
function explain(error: unknown): string {
  const isOurs = [AlreadyRunning, ConfigError, PartFailed, PartLost, PortTaken, SchemaMismatch].some(
    (type) => error instanceof type,
  );
  return error instanceof Error ? (isOurs ? error.message : (error.stack ?? error.message)) : String(error);
}

async function main(): Promise<number> {
  const isWatching = process.argv.includes('--watch');
  const stack = new Stack(process.env, DataDirectory.fromEnvironment(process.env), say, isWatching);
  let stopping: Promise<void> | undefined;
  let firstSignalMs = 0;
  const onSignal = (): void => {
    if (stopping === undefined) {
      firstSignalMs = performance.now();
      say('Stopping …');
      stopping = stack.stop();
      // `main` awaits it later; until then a failure must not count as unhandled.
      stopping.catch(() => undefined);
    } else if (performance.now() - firstSignalMs > SAME_SIGNAL_MS) {
      stack.kill();
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);

  let exitCode = 0;
  try {
    say(welcomeOf(process.env, await stack.start()));
    await stack.supervise();
  } catch (error) {
    // A stop interrupts the start; that error is no failure.
    if (stopping === undefined) {
      complain(error);
      exitCode = 1;
    }
  }
  try {
    await (stopping ?? stack.stop());
  } catch (error) {
    complain(error);
    exitCode = 1;
  }
  if (exitCode === 0) say('Stopped.');
  return exitCode;
}

process.exit(await main());
