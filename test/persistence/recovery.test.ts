import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recoverFromBackup } from '#persistence';
import { newLiveChannel } from '../support/live-channel.js';
import { openPersistence, type Persistence } from './persistence.js';

let persistence: Persistence;

beforeAll(async () => {
  persistence = await openPersistence();
});

afterAll(() => persistence.close());

const recover = () => recoverFromBackup(persistence.testDatabase.url);

describe('recovery from a backup', () => {
  it('has nothing to do on an empty database', async () => {
    expect(await recover()).toEqual({
      ...{ calendarsToSync: 0, reopenedChannels: 0, droppedSnapshots: 0 },
      ...{ endedSessions: 0, withdrawnInvitations: 0 },
    });
  });

  it('has channels opened anew and calendars synced, however calm they were', async () => {
    const { syncedCalendarId } = await newLiveChannel(persistence);
    const due = () => persistence.syncedCalendars.claimSyncs({ limit: 10, leaseMs: 60_000, coalesceMs: 0 });
    expect(await due()).toEqual([]);
    expect(await recover()).toMatchObject({ calendarsToSync: 1, reopenedChannels: 1 });
    const [sync] = await due();
    expect(sync).toMatchObject({ syncedCalendarId });
    const [reconciliation] = await persistence.channels.claimReconciliations({ limit: 10, leaseMs: 60_000 });
    expect(reconciliation?.syncedCalendarId).toBe(syncedCalendarId);
    expect(reconciliation?.channels).toMatchObject([{ state: 'live', isMissingNotifications: true }]);
  });

  it('has them opened anew although a process held a lease in the backup, and a notification came since', async () => {
    const { syncedCalendarId } = await newLiveChannel(persistence);
    const reconciliations = () => persistence.channels.claimReconciliations({ limit: 100, leaseMs: 60_000 });
    const syncs = () => persistence.syncedCalendars.claimSyncs({ limit: 100, leaseMs: 60_000, coalesceMs: 0 });
    const idsOf = (claimed: { syncedCalendarId: string }[]) => claimed.map((one) => one.syncedCalendarId);
    await recover();
    expect([idsOf(await reconciliations()), idsOf(await syncs())]).toEqual([
      expect.arrayContaining([syncedCalendarId]),
      expect.arrayContaining([syncedCalendarId]),
    ]);
    await recover();
    await persistence.channels.recordFoundChange(syncedCalendarId, true);
    expect(idsOf(await syncs())).toContain(syncedCalendarId);
    const claimed = (await reconciliations()).find((one) => one.syncedCalendarId === syncedCalendarId);
    expect(claimed?.channels).toMatchObject([{ state: 'live', isMissingNotifications: true }]);
  });

  it('lets sync tokens expire that stand on what is kept here', async () => {
    const application = await persistence.newApplication();
    const { id: accountId } = await persistence.newAccount(application);
    const scope = { ...application, accountId, calendarId: 'c' };
    const id = await persistence.snapshots.save(scope, { entries: { a: '1' }, changeTag: null });
    expect(await recover()).toMatchObject({ droppedSnapshots: 1 });
    expect(await persistence.snapshots.find(scope, id)).toBeNull();
  });

  it('signs operators out, and withdraws invitations but not the way to the first operator', async () => {
    const id = '01a1fda8-2cab-7a30-bdad-18219983d7a3';
    await persistence.admin(
      `insert into operator (id, email, name, role, created_at) ` +
        `values ('${id}', 'grace@example.com', 'Grace', 'admin', now())`,
    );
    await persistence.admin(
      'insert into operator_session (secret_hash, operator_id, created_at, idle_until, ends_at) ' +
        `values ('\\x01', '${id}', now(), now() + interval '1 hour', now() + interval '1 hour')`,
    );
    await persistence.admin(
      'insert into operator_invitation (id, token_hash, email, role, created_at, expires_at) values ' +
        "(gen_random_uuid(), '\\x01', 'ada@example.com', 'admin', now(), now() + interval '1 hour'), " +
        "(gen_random_uuid(), '\\x02', null, 'admin', now(), now() + interval '1 hour')",
    );
    expect(await recover()).toMatchObject({ endedSessions: 1, withdrawnInvitations: 1 });
    expect(await persistence.admin('select email from operator_invitation')).toEqual([{ email: null }]);
  });
});
