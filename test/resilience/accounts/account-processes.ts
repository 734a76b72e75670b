import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApplicationRef } from '#domain/applications';
import { compileLibs } from '../../support/compiled-libs.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** What account-process.mjs sends. */
interface Message {
  ready?: true;
  answered?: true;
  outcomes?: string[];
}

/** A process that works with accounts, on the test's word. */
export interface AccountProcess {
  readonly child: ChildProcess;
  /** Asks for fresh credentials so often at once; access tokens and error codes. */
  use(application: ApplicationRef, accountId: string, calls: number): Promise<string[]>;
  /** From now on refreshes wait between the answer of the token endpoint and everything after it, for {@link goOn}. */
  holdResponses(): void;
  /** Resolves when a refresh waits there. */
  readonly answered: Promise<void>;
  goOn(): void;
  end(): Promise<void>;
}

export interface AccountProcesses {
  start(): Promise<AccountProcess>;
  remove(): Promise<void>;
}

/** Compiles what the processes run. */
export async function accountProcesses(env: NodeJS.ProcessEnv): Promise<AccountProcesses> {
  const libs = await compileLibs(['application', 'egress', 'persistence']);
  const script = join(libs.directory, 'account-process.mjs');
  await copyFile(join(import.meta.dirname, 'account-process.mjs'), script);
  return { start: () => startProcess(script, env), remove: libs.remove };
}

async function startProcess(script: string, env: NodeJS.ProcessEnv): Promise<AccountProcess> {
  const child = fork(script, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...env },
    execPath: join(ROOT, 'node_modules/node/bin/node'),
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const next = <K extends keyof Message>(kind: K) =>
    new Promise<NonNullable<Message[K]>>((resolve, reject) => {
      const onMessage = (message: Message) => {
        if (message[kind] === undefined) return;
        child.off('message', onMessage);
        resolve(message[kind]);
      };
      child.on('message', onMessage);
      child.once('exit', () => reject(new Error(`the process ended: ${errors}`)));
    });
  const answered = next('answered').then(() => undefined);
  // Most tests wait for no answer; the process ends all the same.
  answered.catch(() => undefined);
  await next('ready');
  return {
    child,
    answered,
    use(application, accountId, calls) {
      const outcomes = next('outcomes');
      child.send({ use: { application, accountId, calls } });
      return outcomes;
    },
    holdResponses: () => void child.send({ holdResponses: true }),
    goOn: () => void child.send({ goOn: true }),
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.send({ end: true });
      await once(child, 'exit');
    },
  };
}
