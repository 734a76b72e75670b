// 80 s: every process is replaced under load, with the grace periods of a cluster.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { ClusterService } from '../support/cluster-service.js';
import { freePort, type RunningProgram } from '../support/processes.js';
import { startApi } from '../support/service.js';
import type { Subscribed } from '../support/webhook-system.js';
import { WebhookLoad } from './webhook-load.js';

/** When a Service has taken note that a pod is not ready; SHUTDOWN_DELAY_MS is longer. */
const REMOVAL_DELAY_MS = 1_000;
const SHUTDOWN_DELAY_MS = 2_500;
/** Requests a second of all callers together, each of whom keeps a connection. */
const PER_SECOND = 100;
const CALLERS = 20;
/** Lists that are always under way, and take longer than a pod that is to end waits for its last request. */
const SLOW_LISTS = 8;
const SLOW_MS = SHUTDOWN_DELAY_MS + 1_000;
/** As in docker/compose.yaml: the longest that it can take, and some more. */
const GRACE_MS = 40_000;

let service: ClusterService;
let load: WebhookLoad;
/** Of the api, behind the Service. */
let pods: RunningProgram[];
/** Accounts whose provider is slow. */
let slow: string[];

beforeAll(async () => {
  service = await ClusterService.start(REMOVAL_DELAY_MS);
  const first = await freePort();
  service.add(first);
  // Pushes of the providers come by way of the Service, too.
  const settings = { PORT: String(first), PUBLIC_URL: service.baseUrl };
  const limits = { SHUTDOWN_DELAY_MS: String(SHUTDOWN_DELAY_MS), RATE_LIMIT_RPS: '1000' };
  load = await WebhookLoad.start({ ...settings, ...limits }, 2);
  pods = [await startPod(), await startPod()];
  // It stays, for what asks it alone; the Service is about those that are replaced.
  service.remove(first);
  const { GOOGLE: google } = load.system.fixture;
  slow = await Promise.all(
    Array.from({ length: SLOW_LISTS / 2 }, async () => {
      const email = google.someone();
      const { accountId } = await google.connected(email);
      await google.half.fault({ kind: 'api', email }, { type: 'delay', ms: SLOW_MS });
      return accountId;
    }),
  );
});

/** I5; I3 and I4 hold after each of them. */
afterAll(() => load?.invariants.expectResourcesBack(), 120_000);

afterAll(async () => {
  await Promise.all((pods ?? []).map((pod) => pod.stop()));
  await load?.stop();
  await service?.close();
});

async function startPod(): Promise<RunningProgram> {
  const port = await freePort();
  const { program } = await startApi({ ...load.system.fixture.service.env, PORT: String(port) });
  service.add(port);
  return program;
}

interface Outcome {
  what: string;
  /** Status, or how the connection failed. */
  outcome: number | string;
}

/** Somebody with a connection of his own, which he keeps for as long as he may. */
class Caller {
  private readonly client = new Client(service.baseUrl, { pipelining: 1 });
  connections = 0;

  constructor() {
    this.client.on('connect', () => (this.connections += 1));
  }

  async call(what: string, method: 'GET' | 'POST', path: string, body?: object): Promise<Outcome> {
    const headers = { 'x-api-key': load.system.fixture.service.apiKey, 'content-type': 'application/json' };
    try {
      const response = await this.client.request({ method, path: `/api${path}`, headers, body: JSON.stringify(body) });
      await response.body.text();
      return { what, outcome: response.statusCode };
    } catch (error) {
      return { what, outcome: (error as Error).message };
    }
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

interface Called {
  outcomes: Outcome[];
  /** Requests that a connection was good for. */
  perConnection: number;
}

/** Requests at fixed times, whatever becomes of those before, and long ones one after the other. */
function startCallers(): { stop(): Promise<Called> } {
  const callers = Array.from({ length: CALLERS }, () => new Caller());
  const patient = Array.from({ length: SLOW_LISTS }, () => new Caller());
  const calls: Promise<Outcome>[] = [];
  const startMs = performance.now();
  const send = (turn: number): Promise<Outcome> => {
    const caller = callers[turn % CALLERS]!;
    // Every caller does everything.
    const kind = (turn + Math.floor(turn / CALLERS)) % 20;
    const calendar = load.calendars[turn % load.calendars.length]!;
    const events = `/v1/events/${calendar.accountId}/${encodeURIComponent(calendar.calendarId)}`;
    if (kind === 0) return write(caller, calendar, events, `Rolling ${turn}`);
    if (kind % 5 === 0) return caller.call('list', 'GET', `${events}?pageSize=5`);
    return caller.call('read', 'GET', `/v1/endUserAccounts/${calendar.accountId}`);
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - startMs) * PER_SECOND) / 1_000;
    while (calls.length < due) calls.push(send(calls.length));
  }, 5);
  const state = { isOver: false };
  const slowLists = patient.map(async (caller, index) => {
    const outcomes: Outcome[] = [];
    while (!state.isOver)
      outcomes.push(await caller.call('slow list', 'GET', `/v1/calendars/${slow[index % slow.length]!}`));
    return outcomes;
  });
  return {
    async stop() {
      clearInterval(timer);
      state.isOver = true;
      const quick = await Promise.all(calls);
      const outcomes = [...quick, ...(await Promise.all(slowLists)).flat()];
      await Promise.all([...callers, ...patient].map((caller) => caller.close()));
      const connections = callers.reduce((sum, caller) => sum + caller.connections, 0);
      return { outcomes, perConnection: quick.length / connections };
    },
  };
}

async function write(caller: Caller, calendar: Subscribed, events: string, title: string): Promise<Outcome> {
  const day = { start: { date: '2026-12-22' }, end: { date: '2026-12-23' } };
  const outcome = await caller.call('write', 'POST', events, { title, ...day });
  load.notifyOfWrite(title, calendar, Number(outcome.outcome));
  return outcome;
}

describe('F4 a rolling restart', () => {
  it('fails no request, loses no message and sends none twice', async () => {
    const callers = startCallers();
    let called: Called;
    try {
      await load.during(async () => {
        for (const [index, old] of [...pods].entries()) {
          const worker = load.workers[0]!;
          pods[index] = await startPod();
          await load.startWorker();
          load.giveUp(worker);
          expect(await Promise.all([old.stop(GRACE_MS), worker.stop(GRACE_MS)])).toEqual([0, 0]);
        }
        await sleep(REMOVAL_DELAY_MS);
      });
    } finally {
      called = await callers.stop();
    }
    const { outcomes, perConnection } = called;
    expect(outcomes.length).toBeGreaterThan(1_000);
    expect(outcomes.filter(({ what }) => what === 'slow list').length).toBeGreaterThanOrEqual(2 * SLOW_LISTS);
    expect(perConnection).toBeGreaterThan(20);
    expect(outcomes.filter(({ outcome }) => outcome !== 200)).toEqual([]);
    await load.expectNothingLost();
    expect(load.system.receiver.receipts).toHaveLength(load.system.receiver.ids().length);
  });
});
