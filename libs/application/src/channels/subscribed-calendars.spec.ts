import type { ProviderChannelRepository } from '#domain/channels';
import type { SyncedCalendarRepository } from '#domain/sync';
import { DomainError } from '#domain/system';
import type { SubscriptionDelivery } from '#domain/webhooks';
import type { InitialSync } from '../sync/initial-sync.js';
import { SyncedCalendarGone, type ChannelReconciler } from './channel-reconciler.js';
import { SubscriptionRegistration } from './subscribed-calendars.js';

const APP = { applicationId: 'app' };
const { signal } = new AbortController();

/** Calendars of a database that other requests delete, so many times, at one of the two steps. */
function registrationOf({ atEnsure = 0, atSubscribe = 0, error = null as Error | null } = {}) {
  let registered = 0;
  let isThere = false;
  const registration = new SubscriptionRegistration(
    {
      register: async () => {
        isThere = true;
        return { syncedCalendarId: `calendar-${(registered += 1)}` };
      },
    } as unknown as SyncedCalendarRepository,
    {
      isRegistered: async () => isThere,
      claimReconciliation: async () => null,
    } as unknown as ProviderChannelRepository,
    {
      ensure: async (): Promise<SubscriptionDelivery> => {
        if (error !== null) throw error;
        if (registered > atEnsure) return 'push';
        isThere = false;
        throw new SyncedCalendarGone();
      },
    } as unknown as ChannelReconciler,
    {} as InitialSync,
  );
  const subscribed = registration.with(APP, 'account', 'calendar', signal, async (syncedCalendarId) => {
    if (registered > atSubscribe) return syncedCalendarId;
    isThere = false;
    throw new DomainError('NotFound', 'There is no such calendar.');
  });
  return { subscribed, registrations: () => registered };
}

describe('a subscription of a calendar that a reconciliation deletes meanwhile', () => {
  it.each([
    ['before its channel is there', { atEnsure: 1 }],
    ['before the subscription is written', { atSubscribe: 1 }],
  ])('%s: registers the calendar again', async (_, deleted) => {
    expect(await registrationOf(deleted).subscribed).toBe('calendar-2');
  });

  it.each([{ atEnsure: 9 }, { atSubscribe: 9 }])(
    'again and again (%j) is to be repeated by the caller',
    async (deleted) => {
      const { subscribed, registrations } = registrationOf(deleted);
      await expect(subscribed).rejects.toMatchObject({ code: 'ProviderUnavailable', retryAfterSeconds: 1 });
      expect(registrations()).toBe(2);
    },
  );

  it('asks the provider once for a calendar that the provider does not have', async () => {
    const error = new DomainError('NotFound', 'No such calendar.');
    const { subscribed, registrations } = registrationOf({ error });
    await expect(subscribed).rejects.toBe(error);
    expect(registrations()).toBe(1);
  });
});
