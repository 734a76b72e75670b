import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterService } from '../support/cluster-service.js';
import { freePort, type RunningProgram } from '../support/processes.js';
import { callService, startApi } from '../support/service.js';
import { ToldUnderLoad } from './told-under-load.js';

/** When a Service has taken note that a pod is not ready; SHUTDOWN_DELAY_MS is longer. */
const REMOVAL_DELAY_MS = 1_000;
const REQUEST_EVERY_MS = 100;

let service: ClusterService;
let load: ToldUnderLoad;
/** Of the api, behind the Service. */
let pods: RunningProgram[];

beforeAll(async () => {
  service = await ClusterService.start(REMOVAL_DELAY_MS);
  const first = await freePort();
  service.add(first);
  // Pushes of the providers come by way of the Service, too.
  const settings = { PORT: String(first), PUBLIC_URL: service.baseUrl, SHUTDOWN_DELAY_MS: '2500' };
  load = await ToldUnderLoad.start(settings, 2);
  pods = [await startPod(), await startPod()];
  // It stays, for what asks it alone; the Service is about those that are replaced.
  service.remove(first);
}, 400_000);

/** I5; I3 and I4 hold after each of them. */
afterAll(() => load?.invariants.expectResourcesBack(), 120_000);

afterAll(async () => {
  await Promise.all((pods ?? []).map((pod) => pod.stop()));
  await load?.stop();
  await service?.close();
});

async function startPod(): Promise<RunningProgram> {
  const port = await freePort();
  const { program } = await startApi({ ...load.told.world.service.env, PORT: String(port) });
  service.add(port);
  return program;
}

interface Outcome {
  what: string;
  /** Status, or how the connection failed. */
  outcome: number | string;
}

/** Requests at fixed times, whatever becomes of those before; the connections are kept alive. */
function startCallers(): { stop(): Promise<Outcome[]> } {
  const { apiKey } = load.told.world.service;
  const calls: Promise<Outcome>[] = [];
  const call = async (what: string, method: string, path: string, body?: object): Promise<Outcome> =>
    callService(service.baseUrl, apiKey, method, path, { body }).then(
      ({ status }) => ({ what, outcome: status }),
      ({ message, cause }: Error) => ({ what, outcome: cause instanceof Error ? cause.message : message }),
    );
  const timer = setInterval(() => {
    const turn = calls.length;
    const { accountId, calendarId } = load.calendars[turn % load.calendars.length]!;
    const events = `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
    const day = { start: { date: '2026-12-22' }, end: { date: '2026-12-23' } };
    if (turn % 20 === 0) calls.push(call('write', 'POST', events, { title: `Rolling ${turn}`, ...day }));
    else if (turn % 5 === 0) calls.push(call('list', 'GET', `${events}?pageSize=5`));
    else calls.push(call('read', 'GET', `/v1/endUserAccounts/${accountId}`));
  }, REQUEST_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      return Promise.all(calls);
    },
  };
}

describe('F4 a rolling restart', () => {
  it('fails no request, loses no message and sends none twice', async () => {
    const callers = startCallers();
    let outcomes: Outcome[];
    try {
      await load.during(async () => {
        for (const [index, old] of [...pods].entries()) {
          const worker = load.workers[0]!;
          pods[index] = await startPod();
          await load.startWorker();
          load.giveUp(worker);
          expect(await Promise.all([old.stop(30_000), worker.stop(30_000)])).toEqual([0, 0]);
        }
        await sleep(REMOVAL_DELAY_MS);
      });
    } finally {
      outcomes = await callers.stop();
    }
    expect(outcomes.length).toBeGreaterThan(100);
    expect(outcomes.filter(({ outcome }) => outcome !== 200)).toEqual([]);
    await load.expectNothingLost();
    expect(load.told.receiver.receipts).toHaveLength(load.told.receiver.ids().length);
  }, 400_000);
});
