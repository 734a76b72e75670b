// 45 s: `npm start` starts, loses parts and starts again.
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { API_NODE_ARGUMENTS } from '../../../apps/stack/src/api-node-arguments.js';
import { residentMiB } from '../../support/resident-memory.js';
import { isAlive, processTree } from '../../support/process-tree.js';
import { eventually, freePort } from '../../support/processes.js';
import { ops, prepareStack, startStack, type RunningStackProgram, type TestStack } from '../../support/stack.js';

/** "A part that dies is back within 45 s." */
const RECOVERY_MS = 45_000;

describe('npm start', () => {
  let stack: TestStack;
  let program: RunningStackProgram;
  let apiKey: string;

  const listAccounts = (key = apiKey): Promise<Response> =>
    fetch(`${stack.baseUrl}/api/v1/endUserAccounts`, { headers: { 'x-api-key': key } });

  const responses = async (): Promise<true | undefined> => ((await listAccounts()).status === 200 ? true : undefined);

  /** Process ids of the parts, by what they are. */
  function parts(): { api: number; worker: number; sandbox: number; postgres: number } {
    const found = Object.fromEntries(
      processTree(program.pid)
        .map((pid) => {
          const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
          const name = /apps\/(api|worker|sandbox)\/src\/main\.js/.exec(command)?.[1];
          return [name ?? (/bin\/postgres\0-D/.test(command) ? 'postgres' : `other ${pid}`), pid] as const;
          // A process that the database has just forked still has its command line: the first one is the database.
        })
        .reverse(),
    );
    return found as ReturnType<typeof parts>;
  }

  /** A browser that follows a link of the welcome gets to choose an account. */
  async function offersSignIn(): Promise<true | undefined> {
    const urls = [...program.stdout().matchAll(/^ +\w+ +(\S+\/oauth\/authorize\/\S+)$/gm)];
    const pages = await Promise.all(
      urls.map(async ([, url = '']) => (await fetch(url, { headers: { accept: 'text/html' } })).text()),
    );
    const offered = ['ada@example.com', 'alan@contoso.example'];
    return offered.every((email, index) => pages[index]?.includes(email)) || undefined;
  }

  beforeAll(async () => {
    stack = await prepareStack();
    program = await stack.start();
    if (program.apiKey === null) throw new Error(`no key in:\n${program.stdout()}`);
    apiKey = program.apiKey;
  });
  afterAll(async () => {
    await stack.remove();
  });

  it('prints where the API and its documentation are, a key, and a command that works', async () => {
    const output = program.stdout();
    expect(output).toContain(`http://localhost:${stack.port}/api/docs`);
    const curl = /curl -H "x-api-key: (\S+)" (\S+)/.exec(output);
    expect(curl?.[1]).toBe(apiKey);
    const response = await fetch(curl?.[2] ?? '', { headers: { 'x-api-key': apiKey } });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ data: [], nextPageToken: null });
  });

  it('prints where to connect accounts of the sandbox, of each of its providers', async () => {
    expect(await offersSignIn()).toBe(true);
  });

  it('starts the API with its arguments of Node', () => {
    const command = readFileSync(`/proc/${parts().api}/cmdline`, 'utf8').split('\0');
    expect(command.slice(1)).toEqual(expect.arrayContaining([...API_NODE_ARGUMENTS]));
  });

  it('gives back what starting took: at rest a process has 160 MiB, and had 230', () => {
    const { api, worker } = parts();
    expect(Math.max(residentMiB(api), residentMiB(worker))).toBeLessThan(185);
  });

  it('keeps its keys and connection for the owner alone', () => {
    for (const file of ['encryption-keys', 'running.json']) {
      expect(statSync(join(stack.dataDirectory, file)).mode & 0o777).toBe(0o600);
    }
  });

  it('lets the operator work beside it', async () => {
    const created = await ops(stack.env, 'application', 'create', '--name', 'acme', '--json');
    expect(created).toMatchObject({ exitCode: 0 });
    const key = await ops(
      stack.env,
      ...['api-key', 'create', '--application', String(created.json().applicationId), '--name', 'ci', '--json'],
    );
    const response = await listAccounts(String(key.json().apiKey));
    expect(response.status).toBe(200);

    await ops(stack.env, 'api-key', 'revoke', '--id', String(key.json().apiKeyId));
    await eventually('N03 the revoked key is refused', async () =>
      (await listAccounts(String(key.json().apiKey))).status === 401 ? true : undefined,
    );
  });

  it.each([
    ['api', 'api'],
    ['worker', 'worker'],
    ['sandbox', 'sandbox'],
    ['postgres', 'database'],
  ] as const)('brings the %s back after it was killed', async (part, name) => {
    const victim = parts()[part];
    process.kill(victim, 'SIGKILL');
    await eventually('another one', () => ((parts()[part] ?? victim) === victim ? undefined : true), {
      timeoutMs: RECOVERY_MS,
    });
    await eventually('the API answers', responses, { timeoutMs: RECOVERY_MS });
    await eventually('the sandbox answers', offersSignIn, { timeoutMs: RECOVERY_MS });
    await eventually('it says so', () => program.stdout().includes(`${name} is answering again`) || undefined);
  });

  it('F16 answers 503 within 10 s while the database is frozen, and works again afterwards', async () => {
    const { postgres } = parts();
    // First the one that forks the others: one that came after the look at them would go on to answer.
    process.kill(postgres, 'SIGSTOP');
    const database = processTree(postgres);
    for (const pid of database) process.kill(pid, 'SIGSTOP');
    try {
      const startedAtMs = performance.now();
      // A verified key is remembered for a second; what comes after that has to ask the database.
      const response = await eventually('503', async () => {
        const response = await listAccounts();
        return response.status === 503 ? response : undefined;
      });
      expect(performance.now() - startedAtMs).toBeLessThan(10_000);
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(await response.json()).toMatchObject({ error: expect.any(String), requestId: expect.any(String) });
      expect((await fetch(`${stack.baseUrl}/health/ready`)).status).toBe(503);
      expect((await fetch(`${stack.baseUrl}/health/live`)).status).toBe(200);
    } finally {
      for (const pid of database) if (isAlive(pid)) process.kill(pid, 'SIGCONT');
    }
    await eventually('the API answers', responses, { timeoutMs: RECOVERY_MS });
  });

  it('refuses a second one on the same data, and leaves the first alone', async () => {
    const second = startStack({ ...stack.env, PORT: String(await freePort()) });
    expect(await second.exited).toBe(1);
    expect(second.stderr()).toMatch(/already running/);
    expect(await responses()).toBe(true);
    expect(await offersSignIn()).toBe(true);
    expect((await ops(stack.env, 'application', 'list', '--json')).exitCode).toBe(0);
  });

  it('stops all of it on Ctrl-C, with exit code 0', async () => {
    const pids = processTree(program.pid);
    expect(pids.length).toBeGreaterThan(3);
    process.kill(-program.pid, 'SIGINT');
    expect(await program.exited).toBe(0);
    await eventually('all have ended', () => (pids.some(isAlive) ? undefined : true));
    await expect(listAccounts()).rejects.toThrow();
  });

  it('finds its data again, within 8 s, and does not show the key twice', async () => {
    program = await stack.start();
    expect(await responses()).toBe(true);
    expect(program.apiKey).toBeNull();
    expect(program.stdout()).not.toContain(apiKey);
    expect(program.firstResponseAfterMs).toBeLessThan(8_000);
  });

  it('recovers from having been killed together with everything it had started but the database', async () => {
    const { api, worker, sandbox, postgres } = parts();
    process.kill(-program.pid, 'SIGKILL');
    await program.exited;
    expect(isAlive(postgres)).toBe(true);
    program = await stack.start();
    expect(await responses()).toBe(true);
    expect(await offersSignIn()).toBe(true);
    expect([api, worker, sandbox, postgres].filter(isAlive)).toEqual([]);
  });

  it('ends as well when it is asked to by SIGTERM', async () => {
    const pids = processTree(program.pid);
    expect(await program.stop(50_000)).toBe(0);
    await eventually('all have ended', () => (pids.some(isAlive) ? undefined : true));
  });
});

describe('npm start that cannot start', () => {
  it('says which port is taken and what to do about it', async () => {
    const other = createServer((_, response) => response.end('mine'));
    other.listen(0, '0.0.0.0');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const stack = await prepareStack({ PORT: String(port) });
    try {
      const program = startStack(stack.env);
      expect(await program.exited).toBe(1);
      expect(program.stderr()).toContain(`Port ${port} is taken`);
      expect(program.stderr()).toContain(`PORT=${port + 1} npm start`);
    } finally {
      other.close();
      await stack.remove();
    }
  });

  it('names every setting that is wrong, before it starts anything', async () => {
    const stack = await prepareStack({ EGRESS_ALLOW: '', RATE_LIMIT_RPS: 'many', LOG_LEVEL: 'loud' });
    try {
      const program = startStack(stack.env);
      expect(await program.exited).toBe(1);
      expect(program.stderr()).toContain('RATE_LIMIT_RPS');
      expect(program.stderr()).toContain('LOG_LEVEL');
    } finally {
      await stack.remove();
    }
  });

  it('takes a Ctrl-C while it is still starting', async () => {
    const stack = await prepareStack();
    try {
      const program = startStack(stack.env);
      await eventually('its database begins', () => statSync(join(stack.dataDirectory, 'postgres')));
      const pids = processTree(program.pid);
      process.kill(-program.pid, 'SIGINT');
      expect(await program.exited).toBe(0);
      await eventually('all have ended', () => (pids.some(isAlive) ? undefined : true));
    } finally {
      await stack.remove();
    }
  });
});
