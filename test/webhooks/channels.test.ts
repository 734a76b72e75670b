// 30 s: leases of killed schedulers have to end, for both providers.
import {
  startChannelsFixture,
  type ChannelsFixture,
  type KeptCalendar,
  type Scheduler,
} from '../support/channels-fixture.js';
import { eventually } from '../support/processes.js';

/** What both sides call the requests about channels. */
const METHODS = {
  GOOGLE: { open: 'calendar.events.watch', stop: 'calendar.channels.stop' },
  MICROSOFT: { open: 'createSubscription', stop: 'deleteSubscription' },
};
const signal = new AbortController().signal;

let fixture: ChannelsFixture;
let first: Scheduler;

beforeAll(async () => {
  fixture = await startChannelsFixture();
  first = fixture.first;
});

afterEach(async () => {
  await fixture.sandbox.clearFaults();
  await fixture.sandbox.microsoft.clearFaults();
  await fixture.sandbox.expectNoViolations();
  // Nothing of one test is due in the next one.
  await fixture.admin('delete from synced_calendar');
});

afterAll(() => fixture?.stop());

describe.each(['GOOGLE', 'MICROSOFT'] as const)('channels at %s', (providerType) => {
  const { open, stop } = METHODS[providerType];
  const half = () => (providerType === 'GOOGLE' ? fixture.sandbox : fixture.sandbox.microsoft);
  const kept = () => fixture.keptCalendar(providerType);

  it('I4 W17 are one for all subscriptions of a calendar, and none without', async () => {
    const calendar = await kept();
    const [channel] = await agreed(calendar, 1);
    await first.reconciler.ensure(fixture.application, calendar.syncedCalendarId, signal);
    const another = await fixture.subscribe(calendar);
    await dueNow(calendar);
    await first.reconcileDue();
    for (const subscriptionId of [calendar.subscriptionId, another]) {
      expect(await agreed(calendar, 1)).toEqual([channel]);
      await first.endpoints.remove(fixture.application, subscriptionId, calendar.account.id);
      await first.reconcileDue();
    }
    await agreed(calendar, 0);
    expect(await isSynced(calendar)).toBe(false);
  });

  it('W18 are renewed before their end, and one is always there', async () => {
    const calendar = await kept();
    const [before] = await rowsOf(calendar);
    await renewalIsDue(calendar);
    await first.reconcileDue();
    const [after] = await rowsOf(calendar);
    await agreed(calendar, 1);
    expect(after.expires_at.getTime()).toBeGreaterThanOrEqual(before.expires_at.getTime());
    expect(after.renew_at.getTime()).toBeGreaterThan(Date.now());
    expect(after.id === before.id).toBe(providerType === 'MICROSOFT');
  });

  it('F30 are replaced when syncs have found two changes that they did not tell of', async () => {
    const calendar = await kept();
    const [silent] = await agreed(calendar, 1);
    await leaseIsOver(calendar);
    await first.channels.recordFoundChange(calendar.syncedCalendarId, false);
    await first.reconcileDue();
    expect(await agreed(calendar, 1)).toEqual([silent]);
    await first.channels.recordFoundChange(calendar.syncedCalendarId, false);
    await first.reconcileDue();
    expect(await agreed(calendar, 1)).not.toEqual([silent]);
  });

  it('F32 are made anew when the provider has dropped them, once, and the calendar is synced', async () => {
    const calendar = await kept();
    await leaseIsOver(calendar);
    const [{ id, subscription_id: dropped }] = (await rowsOf(calendar)) as [any];
    await drop(calendar, dropped);
    const requestsBefore = await syncRequestsOf(calendar);
    const results = await Promise.all([1, 2, 3].map(() => first.channels.lost(id)));
    expect(results.filter(Boolean)).toHaveLength(1);
    await first.reconcileDue();
    const [next] = await agreed(calendar, 1);
    expect(next).not.toBe(dropped);
    expect(await syncRequestsOf(calendar)).toBeGreaterThan(requestsBefore);
    expect(await first.channels.lost(id)).toBe(false);
    await first.reconcileDue();
    expect(await agreed(calendar, 1)).toEqual([next]);
  });

  it('go with a deleted account', async () => {
    const calendar = await kept();
    await leaseIsOver(calendar);
    await first.deletion.delete(fixture.application, calendar.account.id);
    expect(await channelsAtProvider(calendar)).toEqual([]);
    expect(await isSynced(calendar)).toBe(false);
  });

  it('do not keep an account from being deleted', async () => {
    const calendar = await kept();
    await leaseIsOver(calendar);
    await half().fault({ methodId: stop, email: calendar.email }, { type: 'hang' });
    await first.deletion.delete(fixture.application, calendar.account.id);
    expect(await isSynced(calendar)).toBe(false);
  });

  it('are made anew when an EXPIRED account is connected again, and the calendar is synced', async () => {
    const calendar = await kept();
    const [channel] = (await agreed(calendar, 1)) as [string];
    await fixture.admin("update end_user_account set status = 'EXPIRED' where id = $1", [calendar.account.id]);
    await drop(calendar, channel);
    await lapse(calendar);
    await first.reconcileDue();
    await agreed(calendar, 0);
    const requestsBefore = await syncRequestsOf(calendar);
    const { email, providerAccountId, authorizedScopes } = calendar.account;
    await first.registration.register(fixture.application, {
      providerType,
      connected: { email, serverUrl: null, providerAccountId, authorizedScopes, providerState: {} },
      credentials: fixture.credentialsOf(calendar),
    });
    expect(await syncRequestsOf(calendar)).toBe(requestsBefore + 1);
    await first.reconcileDue();
    await agreed(calendar, 1);
  });

  it('F31 are opened in the end, when that fails at first', async () => {
    const calendar = await kept();
    const [channel] = (await agreed(calendar, 1)) as [string];
    await half().fault({ methodId: open, email: calendar.email }, { type: 'status', status: 503 });
    await drop(calendar, channel);
    await lapse(calendar);
    await first.reconcileDue();
    await agreed(calendar, 0);
    await half().clearFaults();
    await dueNow(calendar);
    await first.reconcileDue();
    expect(await agreed(calendar, 1)).not.toEqual([channel]);
  });

  it('I4 are one although an answer was lost', async () => {
    const calendar = await kept();
    const [channel] = (await agreed(calendar, 1)) as [string];
    await half().fault({ methodId: open, email: calendar.email }, { type: 'lose-response' }, { times: 1 });
    await drop(calendar, channel);
    await lapse(calendar);
    await first.reconcileDue();
    expect(await rowsOf(calendar)).toMatchObject([{ state: 'opening' }]);
    await dueNow(calendar);
    await first.reconcileDue();
    expect(await agreed(calendar, 1)).not.toEqual([channel]);
  });

  it('I4 W17 are one after a subscription whose first answer was lost', async () => {
    const calendar = await fixture.syncedCalendar(providerType);
    await half().fault({ methodId: open, email: calendar.email }, { type: 'lose-response' }, { times: 1 });
    await first.reconciler.ensure(fixture.application, calendar.syncedCalendarId, signal);
    await fixture.subscribe(calendar);
    await dueNow(calendar);
    await first.reconcileDue();
    await agreed(calendar, 1);
  });

  it('W17 are none after a subscription that was refused', async () => {
    const calendar = await fixture.syncedCalendar(providerType);
    await half().fault({ methodId: open, email: calendar.email }, { type: 'status', status: 503 });
    await expect(first.reconciler.ensure(fixture.application, calendar.syncedCalendarId, signal)).rejects.toMatchObject(
      {
        code: 'ProviderUnavailable',
      },
    );
    await agreed(calendar, 0);
    expect(await isSynced(calendar)).toBe(false);
  });

  it('I4 are stopped in the end, when that fails at first', async () => {
    const calendar = await kept();
    await leaseIsOver(calendar);
    await half().fault({ methodId: stop, email: calendar.email }, { type: 'status', status: 503 });
    await first.endpoints.remove(fixture.application, calendar.subscriptionId, calendar.account.id);
    await first.reconcileDue();
    expect(await rowsOf(calendar)).toHaveLength(1);
    await half().clearFaults();
    await dueNow(calendar);
    await first.reconcileDue();
    await agreed(calendar, 0);
    expect(await isSynced(calendar)).toBe(false);
  });

  it.each(['opens', 'stops'] as const)('I4 F35 are seen to by another process when one died as it %s', async (act) => {
    const calendar = await kept();
    await leaseIsOver(calendar);
    if (act === 'opens') {
      await half().fault({ methodId: open, email: calendar.email }, { type: 'lose-response' }, { times: 1 });
      const [channel] = (await agreed(calendar, 1)) as [string];
      await drop(calendar, channel);
      await lapse(calendar);
    } else {
      await first.endpoints.remove(fixture.application, calendar.subscriptionId, calendar.account.id);
    }
    const victim = await fixture.scheduler();
    const [reconciliation] = await victim.reconciler.due(1);
    const begun = Promise.withResolvers<void>();
    victim.channels[act === 'opens' ? 'completeReconciliation' : 'closed'] = () => {
      begun.resolve();
      return new Promise(() => undefined);
    };
    void victim.reconciler.reconcile(reconciliation!, signal);
    await begun.promise;
    await victim.kill();
    // Nobody else has it before its lease ends.
    expect(await first.reconciler.due(1)).toEqual([]);
    await dueNow(calendar);
    await first.reconcileDue();
    await agreed(calendar, act === 'opens' ? 1 : 0);
  });

  it('F31 F35 are one per calendar, however many processes race', async () => {
    const calendars = await Promise.all(Array.from({ length: 6 }, () => kept()));
    const schedulers = [first, await fixture.scheduler(), await fixture.scheduler()];
    for (let round = 0; round < 3; round += 1) {
      await fixture.admin('update provider_channel set renew_at = clock_timestamp()');
      await fixture.admin('update synced_calendar set reconcile_at = clock_timestamp()');
      await Promise.all(schedulers.map((scheduler) => scheduler.reconcileDue()));
    }
    for (const calendar of calendars) await agreed(calendar, 1);
    await Promise.all(schedulers.slice(1).map((scheduler) => scheduler.kill()));
  });
});

it('F32 a subscription that Graph wants reauthorized is renewed once, however often it says so', async () => {
  const calendar = await fixture.keptCalendar('MICROSOFT');
  await leaseIsOver(calendar);
  const [{ id }] = (await rowsOf(calendar)) as [any];
  const renewals = async () =>
    (await fixture.sandbox.microsoft.requests({ methodId: 'updateSubscription' })).filter(
      ({ user }) => user === calendar.email,
    ).length;
  await fixture.admin("update provider_channel set renewed_at = renewed_at - interval '1 hour'");
  await Promise.all([1, 2, 3].map(() => first.channels.renewSoon(id)));
  await first.reconcileDue();
  expect(await renewals()).toBe(1);
  await first.channels.renewSoon(id);
  await first.reconcileDue();
  expect(await renewals()).toBe(1);
  await agreed(calendar, 1);
});

/** The provider's ids, once provider and database say the same, and nothing but live channels. */
async function agreed(calendar: Omit<KeptCalendar, 'subscriptionId'>, count: number): Promise<string[]> {
  return eventually(
    'provider and database agree',
    async () => {
      const rows = await rowsOf(calendar);
      const known = rows.map((row) => row.subscription_id as string).sort();
      const there = (await channelsAtProvider(calendar)).sort();
      const isSettled = rows.every(({ state }) => state === 'live') && JSON.stringify(known) === JSON.stringify(there);
      return isSettled && there.length === count ? there : undefined;
    },
    { timeoutMs: 10_000 },
  );
}

async function channelsAtProvider({ providerType, email }: Pick<KeptCalendar, 'providerType' | 'email'>) {
  const { sandbox } = fixture;
  const channels = providerType === 'GOOGLE' ? await sandbox.channels() : await sandbox.microsoft.subscriptions();
  return channels.filter((channel) => channel.email === email).map(({ id }) => id);
}

/** The provider has dropped it, and does not say so. */
async function drop({ providerType }: Pick<KeptCalendar, 'providerType'>, id: string): Promise<void> {
  if (providerType === 'GOOGLE') await fixture.sandbox.dropChannel(id);
  else await fixture.sandbox.microsoft.dropSubscription(id, false);
}

function rowsOf({ syncedCalendarId }: Pick<KeptCalendar, 'syncedCalendarId'>): Promise<any[]> {
  return fixture.admin('select * from provider_channel where synced_calendar_id = $1 order by id', [syncedCalendarId]);
}

async function isSynced({ syncedCalendarId }: Pick<KeptCalendar, 'syncedCalendarId'>): Promise<boolean> {
  return (await fixture.admin('select 1 from synced_calendar where id = $1', [syncedCalendarId])).length > 0;
}

async function syncRequestsOf({ syncedCalendarId }: Pick<KeptCalendar, 'syncedCalendarId'>): Promise<number> {
  const [row] = await fixture.admin('select sync_requests::int as "syncRequests" from synced_calendar where id = $1', [
    syncedCalendarId,
  ]);
  return row.syncRequests as number;
}

async function dueNow({ syncedCalendarId }: Pick<KeptCalendar, 'syncedCalendarId'>): Promise<void> {
  await fixture.admin('update synced_calendar set reconcile_at = clock_timestamp() where id = $1', [syncedCalendarId]);
}

/** Nobody has the calendar, and nothing is to be done. */
async function leaseIsOver({ syncedCalendarId }: Pick<KeptCalendar, 'syncedCalendarId'>): Promise<void> {
  await fixture.admin(
    "update synced_calendar set reconcile_lease_id = null, reconcile_at = clock_timestamp() + interval '1 day' where id = $1",
    [syncedCalendarId],
  );
}

/** Its channels have ended by themselves. */
async function lapse(calendar: Pick<KeptCalendar, 'syncedCalendarId'>): Promise<void> {
  await fixture.admin(
    "update provider_channel set expires_at = clock_timestamp() - interval '1 second' where synced_calendar_id = $1",
    [calendar.syncedCalendarId],
  );
  await dueNow(calendar);
}

async function renewalIsDue(calendar: Pick<KeptCalendar, 'syncedCalendarId'>): Promise<void> {
  await fixture.admin('update provider_channel set renew_at = clock_timestamp() where synced_calendar_id = $1', [
    calendar.syncedCalendarId,
  ]);
  await dueNow(calendar);
}
