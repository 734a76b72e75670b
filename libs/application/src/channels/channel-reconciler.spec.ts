import { once } from 'node:events';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { ApplicationRepository } from '#domain/applications';
import {
  CalendarPush,
  type ChannelFacts,
  type ChannelRequest,
  type ClaimedReconciliation,
  type KnownChannel,
} from '#domain/channels';
import type { AccountSession } from '#domain/providers';
import { DomainError, NotificationUrlUnreachable } from '#domain/system';
import { accountsFixture, APP, FAULT, MINUTE_MS, signal } from '../../testing/accounts-fixture.js';
import type { VirtualTime } from '#domain/testing/virtual-time';
import { SyncRequests } from '../sync/sync-requests.js';
import { ChannelReconciler, SyncedCalendarGone } from './channel-reconciler.js';
import { ChannelClient, NotificationUrls } from './channel-client.js';

for (const level of ['warn', 'error'] as const) jest.spyOn(Logger.prototype, level).mockImplementation(() => undefined);

const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LIFE_MS = 7 * DAY_MS;

const noResponse = () =>
  new DomainError('ProviderTimeout', 'late', { provider: { ...FAULT, status: null, retryable: true } });
const unavailable = (retryAfterSeconds?: number) =>
  new DomainError('ProviderUnavailable', 'away', { provider: { ...FAULT, status: 503 }, retryAfterSeconds });
const unreachable = () => new NotificationUrlUnreachable('PUBLIC_URL', { provider: FAULT });
const rejected = () => new DomainError('ProviderRejected', 'no', { provider: FAULT });

/** A provider with channels; `before` and `after` are where faults happen. */
class FakePush extends CalendarPush {
  override usesOurIds = true;
  readonly live = new Map<string, { expiresAtMs: number; resourceId: string }>();
  readonly requests: ChannelRequest[] = [];
  readonly stopped: string[] = [];
  renewals = 0;
  canRenew = false;
  notifications = true;
  lifeMs = LIFE_MS;
  before: (call: 'open' | 'renew' | 'stop', session: AccountSession) => void | Promise<void> = () => undefined;
  after: (call: 'open' | 'renew' | 'stop', id: string) => void | Promise<void> = () => undefined;

  constructor(private readonly time: VirtualTime) {
    super();
  }

  override async open(
    session: AccountSession,
    calendarId: string,
    request: ChannelRequest,
  ): Promise<ChannelFacts | null> {
    await this.before('open', session);
    if (!this.notifications) return null;
    this.requests.push(request);
    const resourceId = `resource of ${calendarId}`;
    this.live.set(request.channelId, { resourceId, expiresAtMs: this.time.nowMs() + this.lifeMs });
    await this.after('open', request.channelId);
    return { subscriptionId: request.channelId, resourceId, expiresAt: new Date(this.time.nowMs() + this.lifeMs) };
  }

  override async renew(session: AccountSession, { subscriptionId, resourceId }: KnownChannel) {
    await this.before('renew', session);
    if (!this.canRenew || !this.isLive(subscriptionId)) return null;
    this.renewals += 1;
    const expiresAt = new Date(this.time.nowMs() + this.lifeMs);
    this.live.set(subscriptionId, { resourceId: resourceId!, expiresAtMs: expiresAt.getTime() });
    await this.after('renew', subscriptionId);
    return { subscriptionId, resourceId, expiresAt };
  }

  override async stop(session: AccountSession, { subscriptionId, resourceId }: KnownChannel): Promise<void> {
    await this.before('stop', session);
    if (this.live.get(subscriptionId)?.resourceId === resourceId) this.live.delete(subscriptionId);
    this.stopped.push(subscriptionId);
    await this.after('stop', subscriptionId);
  }

  get liveIds(): string[] {
    return [...this.live.keys()].filter((id) => this.isLive(id));
  }

  private isLive(id: string): boolean {
    return (this.live.get(id)?.expiresAtMs ?? 0) > this.time.nowMs();
  }
}

/** One calendar of a GOOGLE account, and those who see to its channels. */
async function reconcilerFixture({ subscriptions = 1, pollsCalendars = false } = {}) {
  const fixture = accountsFixture();
  const { channels, time } = fixture;
  const push = new FakePush(time);
  fixture.provider.push = push;
  const account = await fixture.grantedAccount({}, 100 * DAY_MS);
  const { syncedCalendarId } = await channels.calendars.register(APP, account.id, 'calendar');
  const row = channels.calendars.rows.get(syncedCalendarId)!;
  row.subscriptions = subscriptions;
  row.reconcileAtMs = time.nowMs();
  const applications = { find: async () => ({ pollsCalendars }) } as unknown as ApplicationRepository;
  const wakes: string[] = [];
  const scheduler = () => {
    const { atProvider } = fixture.process();
    const addresses = new NotificationUrls('https://calendar.example.com');
    const client = new ChannelClient(channels, atProvider, addresses, time);
    const syncRequests = new SyncRequests(channels.calendars, { wake: () => void wakes.push('wake') });
    return new ChannelReconciler(channels, applications, client, atProvider, syncRequests, time);
  };
  const reconciler = scheduler();
  return {
    ...{ ...fixture, account, push, row, syncedCalendarId, scheduler, reconciler, wakes },
    liveRows: () => row.channels.filter(({ state }) => state === 'live').map(({ id }) => id),
    /** What is due now, seen to. @returns how many calendars that were */
    async reconcileDue(by = reconciler): Promise<number> {
      const due = await by.due(10);
      for (const reconciliation of due) await by.reconcile(reconciliation, signal);
      return due.length;
    },
    /** Time passes; a scheduler sweeps every minute. */
    async runFor(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += MINUTE_MS) {
        await time.pass(MINUTE_MS);
        const due = await reconciler.due(10);
        for (const reconciliation of due) await reconciler.reconcile(reconciliation, signal);
      }
    },
    async take(): Promise<ClaimedReconciliation> {
      return (await channels.claimReconciliation(APP, syncedCalendarId, 45_000))!;
    },
  };
}

describe('a calendar with subscriptions', () => {
  it('gets one channel, and is synced from then on', async () => {
    const { reconcileDue, push, row, liveRows, wakes } = await reconcilerFixture();
    expect(await reconcileDue()).toBe(1);
    expect(push.requests).toEqual([
      {
        channelId: row.channels[0]!.id,
        token: expect.stringMatching(/^[\w-]{43}$/),
        notificationUrl: 'https://calendar.example.com/api/v1/providers/google/notifications',
        lifecycleUrl: 'https://calendar.example.com/api/v1/providers/google/lifecycle',
      },
    ]);
    expect(liveRows()).toEqual(push.liveIds);
    expect(row.syncRequests).toBe(1);
    expect(wakes).toEqual(['wake']);
  });

  it('is not seen to again before its channel has to be renewed', async () => {
    const { reconcileDue, time, push } = await reconcilerFixture();
    await reconcileDue();
    await time.pass(5 * DAY_MS);
    expect(await reconcileDue()).toBe(0);
    await time.pass(0.6 * DAY_MS);
    expect(await reconcileDue()).toBe(1);
    expect(push.requests).toHaveLength(2);
  });

  it('is not seen to all the time when its provider gives channels that hardly live', async () => {
    const { reconcileDue, time, push, row } = await reconcilerFixture();
    push.lifeMs = SECOND_MS;
    await reconcileDue();
    expect(row.reconcileAtMs).toBe(time.nowMs() + MINUTE_MS);
  });

  it('W18 keeps its channel until the next one is live: they overlap, and the old one is stopped', async () => {
    const { reconcileDue, time, push, row, liveRows } = await reconcilerFixture();
    await reconcileDue();
    const [old] = push.liveIds;
    await time.pass(5.6 * DAY_MS);
    let overlap: string[] = [];
    push.before = (call) => void (call === 'stop' && (overlap = push.liveIds));
    await reconcileDue();
    expect(overlap).toHaveLength(2);
    expect(push.stopped).toEqual([old]);
    expect(liveRows()).toEqual(push.liveIds);
    expect(row.channels).toHaveLength(1);
    expect(row.syncRequests).toBe(2);
  });

  it('W18 renews in its place where the provider can, and needs no sync', async () => {
    const { reconcileDue, time, push, row } = await reconcilerFixture();
    push.canRenew = true;
    await reconcileDue();
    const [before] = row.channels;
    await time.pass(5.6 * DAY_MS);
    await reconcileDue();
    expect(push.renewals).toBe(1);
    expect(push.requests).toHaveLength(1);
    expect(row.channels[0]!.id).toBe(before!.id);
    expect(row.channels[0]!.expiresAt!.getTime()).toBeGreaterThan(before!.expiresAt!.getTime());
    expect(row.syncRequests).toBe(1);
  });

  it('F32 is renewed at once when its provider says so, although there is time', async () => {
    const { reconcileDue, time, push, row, channels } = await reconcilerFixture();
    push.canRenew = true;
    await reconcileDue();
    await time.pass(DAY_MS);
    await channels.renewSoon(row.channels[0]!.id);
    await reconcileDue();
    expect(push.renewals).toBe(1);
    // The same demand again, late.
    channels.calendars.ask(row);
    await reconcileDue();
    expect(push.renewals).toBe(1);
    expect(push.requests).toHaveLength(1);
  });

  it('is left as it is when it is asked after', async () => {
    const { reconcileDue, push, row, channels } = await reconcilerFixture();
    await reconcileDue();
    channels.calendars.ask(row);
    expect(await reconcileDue()).toBe(1);
    expect(push.requests).toHaveLength(1);
    expect(push.stopped).toEqual([]);
  });

  it('F32 gets another channel when the provider has dropped it, and a sync', async () => {
    const { reconcileDue, push, row, channels, liveRows } = await reconcilerFixture();
    await reconcileDue();
    push.live.clear();
    await channels.lost(row.channels[0]!.id);
    const { syncRequests } = row;
    await reconcileDue();
    expect(liveRows()).toEqual(push.liveIds);
    expect(push.liveIds).toHaveLength(1);
    expect(row.syncRequests).toBe(syncRequests + 1);
  });

  it('F30 replaces a silent channel, with overlap', async () => {
    const { reconcileDue, push, row, channels, liveRows } = await reconcilerFixture();
    await reconcileDue();
    const [silent] = push.liveIds;
    row.channels[0]!.isMissingNotifications = true;
    channels.calendars.ask(row);
    await reconcileDue();
    expect(push.stopped).toEqual([silent]);
    expect(liveRows()).toEqual(push.liveIds);
    expect(liveRows()).not.toContain(silent);
  });

  it('is polled when its provider will not push, and the provider is asked again after a day', async () => {
    const { reconcileDue, push, row, time } = await reconcilerFixture();
    push.notifications = false;
    let asked = 0;
    push.before = () => void (asked += 1);
    await reconcileDue();
    expect(row.channels).toEqual([]);
    await time.pass(DAY_MS - MINUTE_MS);
    expect(await reconcileDue()).toBe(0);
    await time.pass(MINUTE_MS);
    push.notifications = true;
    await reconcileDue();
    expect(asked).toBe(2);
    expect(row.channels).toHaveLength(1);
  });

  it('is polled when its provider has no push at all', async () => {
    const { reconcileDue, row, provider, time } = await reconcilerFixture();
    provider.push = null;
    await reconcileDue();
    expect(row).toMatchObject({ channels: [], failures: 0, reconcileAtMs: time.nowMs() + DAY_MS });
  });
});

describe('an account that is EXPIRED', () => {
  it('is left alone, and its calendars get channels and syncs when it works again', async () => {
    const fixture = await reconcilerFixture();
    const { reconcileDue, push, row, account, accounts, credentials, registration, time, liveRows } = fixture;
    await reconcileDue();
    await accounts.setStatus(APP, account.id, 'EXPIRED', 'consent_revoked');
    let asked = 0;
    push.before = () => void (asked += 1);
    await time.pass(8 * DAY_MS);
    expect(await reconcileDue()).toBe(1);
    expect(asked).toBe(0);
    expect(row.channels).toEqual([]);

    const { syncRequests } = row;
    const stored = await credentials.get(APP, account.id);
    const { email, serverUrl, providerAccountId, authorizedScopes, providerType } = account;
    await registration.register(APP, {
      providerType,
      connected: { email, serverUrl, providerAccountId, authorizedScopes, providerState: {} },
      credentials: stored.credentials,
    });
    expect(row.syncRequests).toBe(syncRequests + 1);
    await reconcileDue();
    expect(liveRows()).toEqual(push.liveIds);
    expect(push.liveIds).toHaveLength(1);
  });

  it('of which nobody wants anything is forgotten when its channels have ended', async () => {
    const { reconcileDue, push, row, account, accounts, channels, time } = await reconcilerFixture();
    await reconcileDue();
    await accounts.setStatus(APP, account.id, 'EXPIRED', 'consent_revoked');
    row.subscriptions = 0;
    channels.calendars.ask(row);
    await reconcileDue();
    expect(row.channels).toHaveLength(1);
    for (let day = 0; day < 7; day += 1) {
      await time.pass(DAY_MS);
      await reconcileDue();
    }
    expect(push.stopped).toEqual([]);
    expect(channels.calendars.rows.size).toBe(0);
  });
});

describe('a calendar that nobody wants any more', () => {
  it('has its channel stopped and is forgotten', async () => {
    const { reconcileDue, push, row, channels } = await reconcilerFixture();
    await reconcileDue();
    row.subscriptions = 0;
    channels.calendars.ask(row);
    await reconcileDue();
    expect(push.liveIds).toEqual([]);
    expect(channels.calendars.rows.size).toBe(0);
  });

  it('keeps its row until the provider has stopped the channel', async () => {
    const { reconcileDue, push, row, channels, time } = await reconcilerFixture();
    await reconcileDue();
    row.subscriptions = 0;
    channels.calendars.ask(row);
    push.before = () => {
      throw unavailable();
    };
    await reconcileDue();
    expect(channels.calendars.rows.size).toBe(1);
    push.before = () => undefined;
    await time.pass(5 * SECOND_MS);
    await reconcileDue();
    expect(push.liveIds).toEqual([]);
    expect(channels.calendars.rows.size).toBe(0);
  });

  it('is wanted again at once by a subscription that comes meanwhile', async () => {
    const { reconciler, push, row, channels, reconcileDue, liveRows } = await reconcilerFixture();
    await reconcileDue();
    row.subscriptions = 0;
    channels.calendars.ask(row);
    const [reconciliation] = await reconciler.due(1);
    row.subscriptions = 1;
    await reconciler.reconcile(reconciliation!, signal);
    expect(push.liveIds).toEqual([]);
    expect(await reconcileDue()).toBe(1);
    expect(liveRows()).toEqual(push.liveIds);
    expect(push.liveIds).toHaveLength(1);
  });
});

describe('F31 what fails', () => {
  it('is tried again, later each time, and before the channel ends', async () => {
    const { reconcileDue, runFor, push, row, time } = await reconcilerFixture();
    await reconcileDue();
    await time.pass(5.6 * DAY_MS);
    let tries = 0;
    push.before = () => {
      tries += 1;
      throw unavailable();
    };
    await runFor(DAY_MS);
    expect(push.liveIds).toHaveLength(1);
    // Quickly at first, then about once an hour.
    expect(tries).toBeGreaterThan(20);
    expect(tries).toBeLessThan(70);
    push.before = () => undefined;
    await runFor(60 * MINUTE_MS);
    expect(push.liveIds).toHaveLength(1);
    expect(row).toMatchObject({ failures: 0, channels: [{ id: push.liveIds[0], state: 'live' }] });
    expect(push.requests).toHaveLength(2);
  });

  it('until after the end: the channel is made anew, and the calendar synced', async () => {
    const { reconcileDue, push, row, time, liveRows } = await reconcilerFixture();
    await reconcileDue();
    push.before = () => {
      throw unavailable();
    };
    await time.pass(7.5 * DAY_MS);
    await reconcileDue();
    expect(row.channels).toEqual([]);
    push.before = () => undefined;
    await time.pass(5 * SECOND_MS);
    await reconcileDue();
    expect(liveRows()).toEqual(push.liveIds);
    expect(push.liveIds).toHaveLength(1);
    expect(row.syncRequests).toBe(2);
  });

  it('F24 waits as long as the provider says', async () => {
    const { reconcileDue, push, row, time } = await reconcilerFixture();
    push.before = () => {
      throw unavailable(600);
    };
    await reconcileDue();
    expect(row.reconcileAtMs).toBe(time.nowMs() + 600_000);
  });

  it.each(['NotFound', 'Forbidden'] as const)('with %s is left for a day', async (code) => {
    const { reconcileDue, push, row, time } = await reconcilerFixture();
    push.before = () => {
      throw new DomainError(code, 'no', { provider: FAULT });
    };
    await reconcileDue();
    expect(row).toMatchObject({ channels: [], reconcileAtMs: time.nowMs() + DAY_MS });
  });

  it('leaves a race of three schedulers with one channel', async () => {
    const { scheduler, push, row, time, liveRows, channels } = await reconcilerFixture();
    const schedulers = [scheduler(), scheduler(), scheduler()];
    for (let round = 0; round < 20; round += 1) {
      const failing = round % 3 === 0;
      push.before = () => {
        if (failing) throw unavailable();
      };
      await Promise.all(
        schedulers.map(async (reconciler) => {
          for (const reconciliation of await reconciler.due(1)) await reconciler.reconcile(reconciliation, signal);
        }),
      );
      channels.calendars.ask(row);
      await time.pass(0.4 * DAY_MS);
    }
    push.before = () => undefined;
    for (const reconciler of schedulers)
      for (const reconciliation of await reconciler.due(1)) await reconciler.reconcile(reconciliation, signal);
    expect(push.liveIds).toHaveLength(1);
    expect(liveRows()).toEqual(push.liveIds);
    expect(row.channels).toHaveLength(1);
  });

  it('of a scheduler that lost its lease changes nothing, and its new channel is stopped', async () => {
    const { reconciler, scheduler, push, time, liveRows, reconcileDue } = await reconcilerFixture();
    const [slow] = await reconciler.due(1);
    push.after = async (call) => {
      if (call !== 'open') return;
      push.after = () => undefined;
      await time.pass(45 * SECOND_MS);
      await reconcileDue(scheduler());
    };
    await reconciler.reconcile(slow!, signal);
    expect(push.requests).toHaveLength(2);
    expect(liveRows()).toEqual([push.requests[1]!.channelId]);
    expect(push.liveIds).toEqual(liveRows());
  });
});

describe('I4 an answer that was lost', () => {
  it('leaves no channel where ids are ours: what the next answer says stops it', async () => {
    const { reconcileDue, push, row, time, liveRows } = await reconcilerFixture();
    push.after = (call) => {
      if (call === 'open') throw noResponse();
    };
    await reconcileDue();
    expect(row.channels).toMatchObject([{ state: 'opening' }]);
    expect(push.liveIds).toHaveLength(1);
    push.after = () => undefined;
    await time.pass(10 * SECOND_MS);
    await reconcileDue();
    expect(row.channels).toHaveLength(1);
    expect(liveRows()).toEqual(push.liveIds);
  });

  it('leaves no row where they are not', async () => {
    const { reconcileDue, push, row, time } = await reconcilerFixture();
    push.usesOurIds = false;
    push.after = (call) => {
      if (call === 'open') throw noResponse();
    };
    await reconcileDue();
    push.after = () => undefined;
    await time.pass(10 * SECOND_MS);
    await reconcileDue();
    expect(row.channels).toMatchObject([{ state: 'live' }]);
    expect(push.stopped).toEqual([]);
  });

  it('is not kept in mind for ever more while the provider is away', async () => {
    const { runFor, push, row } = await reconcilerFixture();
    push.before = () => {
      throw noResponse();
    };
    await runFor(5 * 60 * MINUTE_MS);
    expect(row.channels.length).toBeLessThanOrEqual(4);
    push.before = () => undefined;
    await runFor(2 * 60 * MINUTE_MS);
    expect(row.channels).toMatchObject([{ state: 'live' }]);
  });

  it.each(['open', 'live', 'closed', 'completeReconciliation'] as const)(
    'nor does a process that dies at %s leave anything after its lease',
    async (step) => {
      for (const when of ['before', 'after'] as const) {
        const { scheduler, reconcileDue, push, row, channels, time, liveRows } = await reconcilerFixture();
        await reconcileDue();
        await time.pass(5.6 * DAY_MS);
        const [reconciliation] = await scheduler().due(1);
        const original = channels[step].bind(channels) as (...given: unknown[]) => Promise<unknown>;
        let isDead = false;
        const die = () => {
          isDead = true;
          throw new Error('killed');
        };
        // A dead process asks nobody anything.
        push.before = () => void (isDead && die());
        channels[step] = async (...given: unknown[]) => {
          if (when === 'after') await original(...given);
          return die();
        };
        await scheduler()
          .reconcile(reconciliation!, signal)
          .catch(() => undefined);
        expect(isDead).toBe(true);
        channels[step] = original as never;
        push.before = () => undefined;
        await time.pass(60 * SECOND_MS);
        await reconcileDue();
        await reconcileDue();
        expect(row.channels).toHaveLength(1);
        expect(liveRows()).toEqual(push.liveIds);
        expect(push.liveIds).toHaveLength(1);
      }
    },
  );
});

describe('a worker that stops', () => {
  it('gives the calendar back at once, and counts no failure', async () => {
    const { reconciler, push, row, time } = await reconcilerFixture();
    const stopping = new AbortController();
    push.before = async (_, session) => {
      stopping.abort(new Error('stopping'));
      if (!session.signal.aborted) await once(session.signal, 'abort');
      throw noResponse();
    };
    const [reconciliation] = await reconciler.due(1);
    await reconciler.reconcile(reconciliation!, stopping.signal);
    expect(row).toMatchObject({ leaseId: null, failures: 0, reconcileAtMs: time.nowMs() });
  });
});

describe('ensure', () => {
  const justRegistered = (options = {}) => reconcilerFixture({ subscriptions: 0, ...options });

  it('opens a channel before there is a subscription, and leaves it alone for a while', async () => {
    const { reconciler, push, liveRows, syncedCalendarId, reconcileDue, time, row } = await justRegistered();
    await reconciler.ensure(APP, syncedCalendarId, signal);
    expect(liveRows()).toEqual(push.liveIds);
    expect(row.syncRequests).toBe(1);
    await time.pass(10 * SECOND_MS);
    expect(await reconcileDue()).toBe(0);
    await time.pass(60 * SECOND_MS);
    await reconcileDue();
    expect(push.liveIds).toEqual([]);
  });

  it('takes the channel that is there', async () => {
    const { reconciler, push, syncedCalendarId } = await justRegistered();
    await reconciler.ensure(APP, syncedCalendarId, signal);
    await reconciler.ensure(APP, syncedCalendarId, signal);
    expect(push.requests).toHaveLength(1);
  });

  it('W17 throws what the provider throws, and leaves nothing', async () => {
    const { reconciler, push, syncedCalendarId, channels } = await justRegistered();
    const error = rejected();
    push.before = () => {
      throw error;
    };
    await expect(reconciler.ensure(APP, syncedCalendarId, signal)).rejects.toBe(error);
    expect(channels.calendars.rows.size).toBe(0);
  });

  it('W17 leaves the subscriptions of others as they are when it fails', async () => {
    const { reconciler, push, syncedCalendarId, row, reconcileDue, liveRows } = await reconcilerFixture();
    push.before = () => {
      throw rejected();
    };
    await expect(reconciler.ensure(APP, syncedCalendarId, signal)).rejects.toMatchObject({ code: 'ProviderRejected' });
    expect(row.channels).toEqual([]);
    push.before = () => undefined;
    expect(await reconcileDue()).toBe(1);
    expect(liveRows()).toEqual(push.liveIds);
  });

  it('W17 asks once more when an answer was lost, and stops the first channel later', async () => {
    const { reconciler, push, syncedCalendarId, row, reconcileDue, time, liveRows } = await justRegistered();
    push.after = () => {
      push.after = () => undefined;
      throw noResponse();
    };
    await reconciler.ensure(APP, syncedCalendarId, signal);
    expect(push.liveIds).toHaveLength(2);
    row.subscriptions = 1;
    await time.pass(60 * SECOND_MS);
    await reconcileDue();
    expect(row.channels).toHaveLength(1);
    expect(liveRows()).toEqual(push.liveIds);
  });

  it('W17 takes another id when the provider has known the first one', async () => {
    const { reconciler, push, syncedCalendarId, row } = await justRegistered();
    push.before = () => {
      push.before = () => undefined;
      throw new DomainError('Conflict', 'not unique', { provider: FAULT });
    };
    await reconciler.ensure(APP, syncedCalendarId, signal);
    expect(row.channels).toMatchObject([{ state: 'live' }]);
  });

  it('W17 gives up when two answers were lost, and leaves nothing', async () => {
    const { reconciler, push, syncedCalendarId, channels } = await justRegistered();
    let asked = 0;
    push.before = () => {
      asked += 1;
      throw noResponse();
    };
    await expect(reconciler.ensure(APP, syncedCalendarId, signal)).rejects.toMatchObject({ code: 'ProviderTimeout' });
    expect(asked).toBe(2);
    expect(channels.calendars.rows.size).toBe(0);
  });

  it.each<[string, (push: FakePush) => void]>([
    ['will never push', (push) => (push.notifications = false)],
    [
      'refuses to push',
      (push) =>
        (push.before = () => {
          throw new DomainError('NotSupportedByProvider', 'shared');
        }),
    ],
  ])('of a calendar whose provider %s is refused, unless the application polls', async (_, behave) => {
    const refusing = await justRegistered();
    behave(refusing.push);
    await expect(refusing.reconciler.ensure(APP, refusing.syncedCalendarId, signal)).rejects.toMatchObject({
      code: 'NotSupportedByProvider',
    });
    expect(refusing.channels.calendars.rows.size).toBe(0);

    const polling = await justRegistered({ pollsCalendars: true });
    behave(polling.push);
    await polling.reconciler.ensure(APP, polling.syncedCalendarId, signal);
    expect(polling.row.channels).toEqual([]);
  });

  it('of a calendar whose provider cannot reach us is polled where the application has it so', async () => {
    const { reconciler, push, syncedCalendarId, row, reconcileDue, time, liveRows, wakes } = await justRegistered({
      pollsCalendars: true,
    });
    push.before = (call) => {
      if (call === 'open') throw unreachable();
    };
    expect(await reconciler.ensure(APP, syncedCalendarId, signal)).toBe('polled');
    expect([row.channels, wakes]).toEqual([[], []]);
    row.subscriptions = 1;
    await time.pass(20 * SECOND_MS);
    expect(await reconcileDue()).toBe(1);
    expect([row.channels, row.reconcileAtMs]).toEqual([[], time.nowMs() + 60 * MINUTE_MS]);

    push.before = () => undefined;
    await time.pass(60 * MINUTE_MS);
    expect(await reconcileDue()).toBe(1);
    expect(liveRows()).toEqual(push.liveIds);
    expect(await reconciler.ensure(APP, syncedCalendarId, signal)).toBe('push');
  });

  it('of a calendar whose provider cannot reach us is refused elsewhere, in the words of the provider', async () => {
    const { reconciler, push, syncedCalendarId, channels } = await justRegistered();
    const error = unreachable();
    push.before = () => {
      throw error;
    };
    await expect(reconciler.ensure(APP, syncedCalendarId, signal)).rejects.toBe(error);
    expect(channels.calendars.rows.size).toBe(0);
  });

  it.each([true, false])('keeps a channel whose successor cannot be opened to our address: polls %p', async (polls) => {
    const { reconcileDue, time, push, row, liveRows } = await reconcilerFixture({ pollsCalendars: polls });
    await reconcileDue();
    const [live] = liveRows();
    push.before = (call) => {
      if (call === 'open') throw unreachable();
    };
    await time.pass(5.6 * DAY_MS);
    await reconcileDue();
    expect(liveRows()).toEqual([live]);
    expect(push.stopped).toEqual([]);
    expect(row.reconcileAtMs - time.nowMs()).toBeLessThanOrEqual(60 * MINUTE_MS);
  });

  it('waits for somebody who is busy with the calendar', async () => {
    const { reconciler, take, channels, syncedCalendarId, push, time } = await justRegistered();
    const busy = await take();
    const ensured = reconciler.ensure(APP, syncedCalendarId, signal);
    await time.pass(SECOND_MS);
    expect(push.requests).toEqual([]);
    await channels.completeReconciliation(busy, 60_000);
    await time.during(ensured);
    expect(push.requests).toHaveLength(1);
  });

  it('does not wait for ever', async () => {
    const { reconciler, take, syncedCalendarId, time } = await justRegistered();
    await take();
    await expect(time.during(reconciler.ensure(APP, syncedCalendarId, signal))).rejects.toMatchObject({
      code: 'ProviderUnavailable',
      retryAfterSeconds: 5,
    });
  });

  it('says at once that somebody else has deleted the calendar', async () => {
    const { reconciler, take, channels, syncedCalendarId } = await justRegistered();
    await channels.delete(await take());
    await expect(reconciler.ensure(APP, syncedCalendarId, signal)).rejects.toBeInstanceOf(SyncedCalendarGone);
  });

  it('says that the account was deleted while the channel was opened', async () => {
    const { reconciler, push, channels, syncedCalendarId } = await justRegistered();
    push.before = (call) => {
      if (call === 'open') channels.calendars.rows.clear();
    };
    await expect(reconciler.ensure(APP, syncedCalendarId, signal)).rejects.toBeInstanceOf(SyncedCalendarGone);
  });

  it('tells of an account that is EXPIRED', async () => {
    const { reconciler, syncedCalendarId, accounts, account, channels } = await justRegistered();
    await accounts.setStatus(APP, account.id, 'EXPIRED', 'consent_revoked');
    await expect(reconciler.ensure(APP, syncedCalendarId, signal)).rejects.toMatchObject({
      code: 'EndUserAccountExpired',
    });
    expect(channels.calendars.rows.size).toBe(0);
  });
});

describe('an account that is deleted', () => {
  it('has its channels stopped before its grant is revoked', async () => {
    const { reconcileDue, push, deletion, account, authorization, time } = await reconcilerFixture();
    await reconcileDue();
    let revokedAtStop: number | null = null;
    push.after = () => void (revokedAtStop = authorization.revoked.length);
    await deletion.delete(APP, account.id);
    await time.pass(0);
    expect(push.liveIds).toEqual([]);
    expect(revokedAtStop).toBe(0);
    expect(authorization.revoked).toHaveLength(1);
  });

  it('is deleted although its provider is away', async () => {
    const { reconcileDue, push, deletion, account, accounts } = await reconcilerFixture();
    await reconcileDue();
    push.before = () => {
      throw unavailable();
    };
    await deletion.delete(APP, account.id);
    expect(accounts.rows.size).toBe(0);
  });

  it('asks its provider nothing when it is EXPIRED', async () => {
    const { reconcileDue, push, deletion, account, accounts } = await reconcilerFixture();
    await reconcileDue();
    await accounts.setStatus(APP, account.id, 'EXPIRED', 'consent_revoked');
    let asked = 0;
    push.before = () => void (asked += 1);
    await deletion.delete(APP, account.id);
    expect(asked).toBe(0);
    expect(accounts.rows.size).toBe(0);
  });

  it('and stays after all has its channels again when the lease has ended', async () => {
    const { reconcileDue, push, deletion, account, accounts, time, liveRows } = await reconcilerFixture();
    await reconcileDue();
    accounts.delete = async () => Promise.reject(new Error('killed'));
    await expect(deletion.delete(APP, account.id)).rejects.toThrow('killed');
    expect(push.liveIds).toEqual([]);
    expect(await reconcileDue()).toBe(0);
    await time.pass(45 * SECOND_MS);
    await reconcileDue();
    expect(push.liveIds).toHaveLength(1);
    expect(liveRows()).toEqual(push.liveIds);
  });
});
