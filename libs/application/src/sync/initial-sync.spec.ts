import { jest } from '@jest/globals';
import type { ClaimedSync, SyncedCalendarRepository } from '#domain/sync';
import type { CalendarSyncService } from './calendar-sync.service.js';
import { InitialSync } from './initial-sync.js';

const APP = { applicationId: 'app' };
const SYNC = { syncedCalendarId: 'calendar' } as ClaimedSync;
const signal = new AbortController().signal;

type Claim = Awaited<ReturnType<SyncedCalendarRepository['claimInitialSync']>>;

/** The last claim is the one of all later ones, too. */
function fixture(...claims: Claim[]) {
  const claimInitialSync = jest.fn(async () => (claims.length > 1 ? claims.shift()! : claims[0]!));
  const begin = jest.fn(async () => undefined);
  const sleep = jest.fn(async () => undefined);
  const syncs = new InitialSync(
    { claimInitialSync } as unknown as SyncedCalendarRepository,
    { runInitial: begin } as unknown as CalendarSyncService,
    { sleep },
  );
  return { ensure: () => syncs.ensure(APP, 'calendar', signal), claimInitialSync, begin, sleep };
}

describe('InitialSync', () => {
  it('runs the first sync, and sees that it is made', async () => {
    const { ensure, begin, claimInitialSync } = fixture(SYNC, 'done');
    await ensure();
    expect(begin.mock.calls).toEqual([[SYNC, signal]]);
    expect(claimInitialSync).toHaveBeenCalledTimes(2);
  });

  it('leaves a calendar alone that was synced', async () => {
    const { ensure, begin, sleep } = fixture('done');
    await ensure();
    expect(begin).not.toHaveBeenCalled();
    expect(sleep).not.toHaveBeenCalled();
  });

  it('waits for the first sync of somebody else, and makes it when that came to nothing', async () => {
    const { ensure, begin, sleep } = fixture('busy', 'busy', SYNC, 'done');
    await ensure();
    expect(sleep).toHaveBeenCalledTimes(2);
    expect(begin).toHaveBeenCalledTimes(1);
  });

  it('does not wait for ever', async () => {
    const { ensure } = fixture('busy');
    await expect(ensure()).rejects.toMatchObject({ code: 'ProviderUnavailable', retryAfterSeconds: 5 });
  });

  it('says what the provider says', async () => {
    const { ensure, begin } = fixture(SYNC);
    const away = new Error('away');
    begin.mockRejectedValue(away);
    await expect(ensure()).rejects.toBe(away);
  });
});
