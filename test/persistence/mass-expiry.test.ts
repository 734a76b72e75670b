import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openPersistence, type Persistence } from './persistence.js';

let persistence: Persistence;
let elsewhere: Persistence;
let clients = 0;

beforeAll(async () => {
  persistence = await openPersistence();
  elsewhere = await openPersistence({ testDatabase: persistence.testDatabase });
});

afterAll(async () => {
  await elsewhere.close();
  await persistence.close();
});

const newClient = () => ({ providerType: 'GOOGLE' as const, clientId: `client-${(clients += 1)}` });

describe('T6 the tally of a client', () => {
  it('counts each account once, by its last outcome, over all processes', async () => {
    const client = newClient();
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()] as const;
    await persistence.ledger.record(client, a, 'refreshed');
    await elsewhere.ledger.record(client, a, 'rejected');
    await elsewhere.ledger.record(client, b, 'rejected');
    await persistence.ledger.record(client, b, 'refreshed');
    expect(await persistence.ledger.record(client, c, 'rejected')).toEqual({
      decided: 3,
      rejected: 2,
      breakerTrippedSince: null,
    });
  });

  it('forgets what is older than five minutes', async () => {
    const client = newClient();
    await persistence.ledger.record(client, randomUUID(), 'rejected');
    await persistence.ledger.record(client, randomUUID(), 'rejected');
    await persistence.admin("update refresh_stats set decided_at = decided_at - interval '4 minutes 30 seconds'");
    expect(await persistence.ledger.record(client, randomUUID(), 'refreshed')).toMatchObject({
      decided: 3,
      rejected: 2,
    });
    await persistence.admin("update refresh_stats set decided_at = decided_at - interval '1 minute'");
    expect(await persistence.ledger.record(client, randomUUID(), 'refreshed')).toMatchObject({
      decided: 2,
      rejected: 0,
    });
  });

  it('tells clients and providers apart', async () => {
    const client = newClient();
    await persistence.ledger.record(client, randomUUID(), 'rejected');
    const others = [newClient(), { ...client, providerType: 'MICROSOFT' as const }];
    for (const other of others) {
      expect(await persistence.ledger.record(other, randomUUID(), 'refreshed')).toMatchObject({
        decided: 1,
        rejected: 0,
      });
    }
  });

  it('misses none of many at once: the last one knows of all', async () => {
    const client = newClient();
    const tallies = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        (n % 2 === 0 ? persistence : elsewhere).ledger.record(client, randomUUID(), 'rejected'),
      ),
    );
    expect(Math.max(...tallies.map(({ rejected }) => rejected))).toBe(40);
  });

  it('stands although the transaction around it is undone', async () => {
    const client = newClient();
    const application = await persistence.newApplication();
    const failing = persistence.unitOfWork.run(application, async () => {
      await persistence.ledger.record(client, randomUUID(), 'rejected');
      await persistence.ledger.trip(client);
      throw new Error('later step');
    });
    await expect(failing).rejects.toThrow('later step');
    expect(await persistence.ledger.record(client, randomUUID(), 'rejected')).toEqual({
      decided: 2,
      rejected: 2,
      breakerTrippedSince: expect.any(Date),
    });
  });
});

describe('T6 a hold', () => {
  it('is begun by one of many, seen by all, ended by one of many', async () => {
    const client = newClient();
    const both = [persistence.ledger, elsewhere.ledger];
    expect(await persistence.ledger.breakerTrippedSince(client)).toBeNull();
    const begun = await Promise.all([...both, ...both].map((ledger) => ledger.trip(client)));
    expect(begun.filter(Boolean)).toHaveLength(1);
    const since = await elsewhere.ledger.breakerTrippedSince(client);
    expect(since).toBeInstanceOf(Date);
    expect(await persistence.ledger.record(client, randomUUID(), 'rejected')).toMatchObject({
      breakerTrippedSince: since,
    });
    expect(await persistence.ledger.breakerTrippedSince({ ...client, providerType: 'MICROSOFT' })).toBeNull();
    const ended = await Promise.all([...both, ...both].map((ledger) => ledger.release(client)));
    expect(ended.filter(Boolean)).toHaveLength(1);
    expect(await elsewhere.ledger.breakerTrippedSince(client)).toBeNull();
  });

  it('takes the tally along when it ends, and leaves those of others', async () => {
    const [client, other] = [newClient(), newClient()];
    await persistence.ledger.record(client, randomUUID(), 'rejected');
    await persistence.ledger.record(other, randomUUID(), 'rejected');
    await persistence.ledger.trip(client);
    await persistence.ledger.release(client);
    expect(await persistence.ledger.record(client, randomUUID(), 'refreshed')).toMatchObject({
      decided: 1,
      rejected: 0,
    });
    expect(await persistence.ledger.record(other, randomUUID(), 'refreshed')).toMatchObject({
      decided: 2,
      rejected: 1,
    });
  });

  it('knows its suspects in every process, by their last outcome, for as long as it lasts', async () => {
    const client = newClient();
    const [suspect, acquitted, unknown, longAgo] = Array.from({ length: 4 }, () => randomUUID()) as [
      string,
      string,
      string,
      string,
    ];
    const suspects = async () =>
      Promise.all([suspect, acquitted, unknown, longAgo].map((id) => elsewhere.ledger.isRejected(client, id)));
    await persistence.ledger.record(client, longAgo, 'rejected');
    await persistence.admin(
      "update refresh_stats set decided_at = decided_at - interval '6 minutes' where account_id = $1",
      [longAgo],
    );
    await persistence.ledger.record(client, suspect, 'rejected');
    await persistence.ledger.record(client, acquitted, 'rejected');
    expect(await suspects()).toEqual([false, false, false, false]);
    await persistence.ledger.trip(client);
    await persistence.ledger.record(client, acquitted, 'refreshed');
    expect(await suspects()).toEqual([true, false, false, false]);
    expect(await elsewhere.ledger.isRejected({ ...client, providerType: 'MICROSOFT' }, suspect)).toBe(false);

    await persistence.admin("update refresh_stats set decided_at = decided_at - interval '1 hour'");
    await persistence.admin(
      "update mass_expiry_breaker set breaker_tripped_since = breaker_tripped_since - interval '1 hour'",
    );
    await persistence.housekeeping.deleteExpired();
    expect(await suspects()).toEqual([true, false, false, false]);
    await persistence.ledger.release(client);
    expect(await suspects()).toEqual([false, false, false, false]);
  });

  it('lets one probe through in its time', async () => {
    const client = newClient();
    const probe = () => persistence.ledger.mayProbe(client, 30_000);
    expect(await probe()).toBe(false);
    await persistence.ledger.trip(client);
    const allowed = await Promise.all([probe(), probe(), elsewhere.ledger.mayProbe(client, 30_000), probe()]);
    expect(allowed.filter(Boolean)).toHaveLength(1);
    await persistence.admin("update mass_expiry_breaker set probed_at = probed_at - interval '30 seconds'");
    expect(await probe()).toBe(true);
    expect(await probe()).toBe(false);
    await persistence.ledger.release(client);
    expect(await probe()).toBe(false);
  });
});
