import { SchemaMismatch } from '#persistence';
import { ConfigError } from '#platform';
import { AlreadyRunning, DataDirectory } from '#platform/local-stack';
import { PartFailed } from './part.js';
import { PortTaken } from './port.js';
import { Stack, type StartedStack } from './stack.js';
import { PartLost } from './supervisor.js';

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

function signInOptions({ baseUrl, demo, signInUrls, setupLink, setupCommand }: StartedStack): string {
  const key = demo?.apiKey ?? '$API_KEY';
  return [
    '',
    'The unified calendar service is running.',
    '',
    `  API         ${baseUrl}/api/v1`,
    ...(process.env.API_DOCS === 'off' ? [] : [`  Docs        ${baseUrl}/api/docs`]),
    `  Dashboard   ${baseUrl}/dashboard`,
    ...(setupLink === null ? [] : [`  First visit ${setupLink}`]),
    ...(setupCommand === null ? [] : [`  First visit by the link that this makes: ${setupCommand}`]),
    ...(demo === null ? [] : [`  Application ${demo.applicationId} (${demo.name})`]),
    ...(demo?.apiKey == null
      ? [
          '  API key     shown at the first start. Another one:',
          '              npm run -s ops -- application list',
          '              npm run -s ops -- api-key create --application <id> --name mine --expires never',
        ]
      : [`  API key     ${demo.apiKey}`, '              (shown this once: keep it)']),
    '',
    '  Try it      ' + `curl -H "x-api-key: ${key}" ${baseUrl}/api/v1/endUserAccounts`,
    '',
    ...(signInUrls === null
      ? []
      : [
          '  Connect an account of the sandbox, in a browser:',
          ...Object.entries(signInUrls).map(([provider, url]) => `    ${provider.padEnd(9)} ${url}`),
          '',
        ]),
    'Stop it with Ctrl-C; the data stay.',
    '',
  ].join('\n');
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
    say(signInOptions(await stack.start()));
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
