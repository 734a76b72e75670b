import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageIdOf } from '../../libs/webhooks/src/message.js';
import { OAUTH_PROVIDERS, type OAuthProviderType } from '../support/oauth-subject.js';
import { eventually } from '../support/processes.js';
import { startWebhookSystem, type Subscribed, type WebhookSystem } from '../support/webhook-system.js';
import type { WorkerUnderTest } from '../support/worker.js';
import { Invariants } from './invariants.js';
import { providerView } from './provider-view.js';

/** A call of the API as the application saw it. */
export interface SeenCall {
  method: string;
  status: number;
  ms: number;
  /** When it was answered, `performance.now()`. */
  endedAtMs: number;
  retryAfter: string | null;
  text: string;
}

const CALENDARS = ['GOOGLE', 'MICROSOFT', 'GOOGLE', 'MICROSOFT'] as const;
const ROUND_MS = 300;
/** At work without any fault, until every process has done all that it does under load. */
const CALM_MS = 1_500;

/**
 * People who change their calendars, and an application that is told of it and reads and writes meanwhile; and what has
 * to be true whatever broke.
 */
export class WebhookLoad {
  /** Probes of processes that were to be alive, and were not. */
  private readonly stalledCount: string[] = [];
  private readonly changedAtMs = new Map<Subscribed, number>();
  private readonly trusted = new Set<WorkerUnderTest>();
  /** How the writes of the application were answered, by the titles that they gave. */
  private readonly writes = new Map<string, { calendar: Subscribed; status: number }>();
  readonly invariants: Invariants;
  private rounds = 0;
  private calls = 0;

  private constructor(
    readonly system: WebhookSystem,
    readonly calendars: Subscribed[],
  ) {
    this.invariants = new Invariants(system.fixture, () => this.workers);
  }

  /** @param settings environment of api and workers */
  static async start(settings: NodeJS.ProcessEnv, workers: number): Promise<WebhookLoad> {
    const system = await startWebhookSystem({ METRICS_PORT: '0', ...settings });
    try {
      const calendars: Subscribed[] = [];
      for (const providerType of CALENDARS) calendars.push(await system.subscribe(providerType));
      const load = new WebhookLoad(system, calendars);
      for (let count = 0; count < workers; count += 1) await load.startWorker();
      await load.during(async () => {
        await sleep(CALM_MS);
        await load.invariants.measure();
      });
      return load;
    } catch (error) {
      await system.stop();
      throw error;
    }
  }

  /** Those that have to live and to work. */
  get workers(): WorkerUnderTest[] {
    return [...this.trusted];
  }

  /** One more, which is ready; of the build in `root`, by default of ours. */
  async startWorker(settings?: NodeJS.ProcessEnv, root?: string): Promise<WorkerUnderTest> {
    const worker = await this.system.startWorker(settings, root);
    this.trust(worker);
    return worker;
  }

  /** What is wrong with it from now on is wanted. */
  giveUp(worker: WorkerUnderTest): void {
    this.trusted.delete(worker);
  }

  trust(worker: WorkerUnderTest): void {
    this.trusted.add(worker);
  }

  /** Everybody goes on until `fault` has ended, and for at least one round. @returns all calls of the application */
  async during(fault: () => Promise<unknown>): Promise<SeenCall[]> {
    const calls: SeenCall[] = [];
    const state = { isOver: false };
    const load = (async () => {
      do {
        const [, , seen] = await Promise.all([this.changeAll(), sleep(ROUND_MS), this.callOnce()]);
        await this.probe();
        calls.push(...seen);
      } while (!state.isOver);
    })();
    try {
      await fault();
    } finally {
      state.isOver = true;
      await load;
    }
    for (const { text } of calls) expect(text).not.toMatch(/\n\s+at |\.[jt]s:\d+/);
    return calls;
  }

  /** Somebody adds an event to each calendar. */
  async changeAll(): Promise<void> {
    this.rounds += 1;
    await Promise.all(
      this.calendars.map(async (calendar) => {
        await this.system.change(calendar, `Change ${this.rounds}`);
        this.changedAtMs.set(calendar, Date.now());
      }),
    );
  }

  /** A read of the database, one of a calendar, and an event that is written. */
  async callOnce(): Promise<SeenCall[]> {
    const calendar = this.calendars[this.rounds % this.calendars.length]!;
    const { accountId, calendarId } = calendar;
    const events = `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
    const window = { startDateTime: '2026-12-10T00:00:00Z', endDateTime: '2026-12-11T00:00:00Z' };
    const title = `Own ${this.rounds} of ${(this.calls += 1)}`;
    const body = {
      title,
      start: { dateTime: '2026-12-02T10:00:00', timeZone: 'UTC' },
      end: { dateTime: '2026-12-02T11:00:00', timeZone: 'UTC' },
    };
    const reads = [
      await this.call('GET', `/v1/endUserAccounts/${accountId}`),
      await this.call('GET', events, { query: window }),
    ];
    const write = await this.call('POST', events, { body });
    this.notifyOfWrite(title, calendar, write.status);
    return [...reads, write];
  }

  /** Somebody has written an event with this title, and was answered so. */
  notifyOfWrite(title: string, calendar: Subscribed, status: number): void {
    this.writes.set(title, { calendar, status });
  }

  /**
   * I1: what was announced is what was received, and the last change of each calendar was announced. I2: what came twice
   * had an attempt of which nobody knows how it ended. I3, I4: {@link Invariants}, and what was written is there once. I6:
   * whoever had to live lived, and is ready. I7: no rejection was left unhandled. I5 takes longer, and is for the end of a
   * suite: `invariants.expectResourcesBack`.
   */
  async expectNothingLost(): Promise<void> {
    await this.calm();
    for (const calendar of this.calendars) {
      const messages = await this.messagesOf(calendar);
      expect(messages.length).toBeGreaterThan(0);
      const newestMs = Math.max(...messages.map(({ createdAt }) => createdAt.getTime()));
      expect(newestMs).toBeGreaterThan(this.changedAtMs.get(calendar) ?? 0);
      expect(new Set(this.system.receiver.ids(calendar.path))).toEqual(new Set(messages.map(({ id }) => id)));
    }
    const [{ open }] = await this.admin(
      'select count(*)::int as open from delivery_attempt where duration_ms is null or status is null or status >= 300',
    );
    expect(this.system.receiver.receipts.length - this.system.receiver.ids().length).toBeLessThanOrEqual(open);
    await this.invariants.expectNobodyEnded();
    await this.invariants.expectCounterparts();
    await this.expectWrittenOnce();
    expect(this.stalledCount).toEqual([]);
    for (const worker of this.workers) expect(await worker.probe('ready')).toBe(200);
    for (const { stdout, stderr } of [this.system.fixture.service.program, ...this.system.workers]) {
      expect(stdout() + stderr()).not.toMatch(/unhandled ?rejection|MaxListenersExceeded|uncaught ?exception/i);
    }
  }

  /** I4 of events: what was answered with success is there once, what failed is there once or not at all. */
  async expectWrittenOnce(): Promise<void> {
    const held = new Map<string, number>();
    for (const providerType of OAUTH_PROVIDERS) {
      for (const { title } of await this.heldEvents(providerType)) held.set(title, (held.get(title) ?? 0) + 1);
    }
    const wrong = [...this.writes].filter(([title, { status }]) => {
      const times = held.get(title) ?? 0;
      return status < 300 ? times !== 1 : times > 1;
    });
    expect(wrong.map(([title, { status }]) => ({ title, status, times: held.get(title) ?? 0 }))).toEqual([]);
  }

  private async heldEvents(providerType: OAuthProviderType): Promise<{ title: string }[]> {
    const view = providerView(this.system.fixture[providerType]);
    const calendars = this.calendars.filter((calendar) => calendar.providerType === providerType);
    return (await Promise.all(calendars.map(({ email }) => view.events(email)))).flat();
  }

  /** Every look was made, every message has come to its end. */
  private async calm(): Promise<void> {
    await eventually('everything is told', async () => {
      const [{ syncs, messages }] = await this.admin(`
        select (select count(*)::int from synced_calendar where next_sync_at < now() + interval '30 s') as syncs,
               (select count(*)::int from webhook_message where state = 'pending') as messages`);
      return syncs === 0 && messages === 0 ? true : undefined;
    });
  }

  /** @param text of a statement that a superuser sends */
  async admin(text: string, values: unknown[] = []): Promise<any[]> {
    return this.system.fixture.GOOGLE.admin(text, values);
  }

  async stop(): Promise<void> {
    await this.system.stop();
  }

  private async messagesOf({ subscriptionId }: Subscribed): Promise<{ id: string; createdAt: Date }[]> {
    const rows = await this.admin('select id, created_at from webhook_message where endpoint_id = $1', [
      subscriptionId,
    ]);
    return rows.map(({ id, created_at }) => ({ id: messageIdOf(id as string), createdAt: created_at as Date }));
  }

  private async call(
    method: string,
    path: string,
    options: { query?: Record<string, string>; body?: unknown } = {},
  ): Promise<SeenCall> {
    const startedAtMs = performance.now();
    const { status, headers, body } = await this.system.fixture.service.call(method, path, options);
    const endedAtMs = performance.now();
    const ms = endedAtMs - startedAtMs;
    return { method, status, ms, endedAtMs, retryAfter: headers.get('retry-after'), text: JSON.stringify(body) };
  }

  private async probe(): Promise<void> {
    await Promise.all(
      [this.system.fixture.service, ...this.workers].map(async ({ baseUrl }) => {
        const status = await fetch(`${baseUrl}/health/live`).then(
          (response) => response.status,
          (error: unknown) => String(error),
        );
        if (status !== 200) this.stalledCount.push(`${baseUrl}: ${status}`);
      }),
    );
  }
}

export function median(calls: SeenCall[]): number {
  return calls.map(({ ms }) => ms).toSorted((one, other) => one - other)[Math.floor(calls.length / 2)]!;
}
