import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OAuthCredentials } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { openPersistence, type Persistence } from './persistence.js';

let persistence: Persistence;
let elsewhere: Persistence;
let application: ApplicationRef;

beforeAll(async () => {
  persistence = await openPersistence();
  elsewhere = await openPersistence({ testDatabase: persistence.testDatabase });
  application = await persistence.newApplication();
});

afterAll(async () => {
  await elsewhere.close();
  await persistence.close();
});

const tokens = (refreshToken: string, clientId = 'client'): OAuthCredentials => ({
  kind: 'oauth',
  clientId,
  accessToken: `access of ${refreshToken}`,
  refreshToken,
  expiresAt: new Date(1_800_000_000_000),
});
const newGrant = async (): Promise<string> => {
  const { id } = await persistence.newAccount(application, { providerType: 'GOOGLE', serverUrl: null });
  await persistence.credentials.put(application, id, tokens('first'));
  return id;
};
const stored = async (id: string) => {
  const { credentials, rowVersion } = await persistence.credentials.get(application, id);
  return { refreshToken: (credentials as OAuthCredentials).refreshToken, rowVersion };
};
/** As if that long had gone by. */
const pass = (time: string) =>
  persistence.admin(`update credential set leased_until = leased_until - interval '${time}'`);

describe('T1 the lease of a refresh', () => {
  it('goes to one of many callers in several processes', async () => {
    const id = await newGrant();
    const leases = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        (n % 2 === 0 ? persistence : elsewhere).credentials.lease(application, id, 1, 20_000),
      ),
    );
    expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
  });

  it('is not to be had of a version that is no more, nor of an account that is gone', async () => {
    const id = await newGrant();
    await persistence.credentials.put(application, id, tokens('second'));
    expect(await persistence.credentials.lease(application, id, 1, 20_000)).toBeNull();
    expect(await persistence.credentials.lease(application, id, 3, 20_000)).toBeNull();
    expect(await persistence.credentials.lease(application, 'x', 2, 20_000)).toBeNull();
    await persistence.accounts.delete(application, id);
    expect(await persistence.credentials.lease(application, id, 2, 20_000)).toBeNull();
  });

  it('passes on when it is given back or its time is up, by the database clock', async () => {
    const id = await newGrant();
    const first = await persistence.credentials.lease(application, id, 1, 20_000);
    await persistence.credentials.releaseLease(application, id, first as string);
    const second = await elsewhere.credentials.lease(application, id, 1, 20_000);
    expect(second).not.toBeNull();
    expect(await persistence.credentials.lease(application, id, 1, 20_000)).toBeNull();
    await pass('20 seconds');
    expect(await persistence.credentials.lease(application, id, 1, 20_000)).not.toBeNull();
  });

  it('T2 stays with its new holder when the one before, late, gives it back', async () => {
    const id = await newGrant();
    const late = await persistence.credentials.lease(application, id, 1, 20_000);
    await pass('20 seconds');
    expect(await elsewhere.credentials.lease(application, id, 1, 20_000)).not.toBeNull();
    await persistence.credentials.releaseLease(application, id, late as string);
    expect(await persistence.credentials.lease(application, id, 1, 20_000)).toBeNull();
  });

  it('is seen by others at once, also when it is taken within a transaction', async () => {
    const id = await newGrant();
    await persistence.unitOfWork.run(application, async () => {
      expect(await persistence.credentials.lease(application, id, 1, 20_000)).not.toBeNull();
      expect(await elsewhere.credentials.lease(application, id, 1, 20_000)).toBeNull();
    });
  });

  it('ends with credentials that are put', async () => {
    const id = await newGrant();
    await persistence.credentials.lease(application, id, 1, 20_000);
    await persistence.credentials.put(application, id, tokens('second'));
    expect(await persistence.credentials.lease(application, id, 2, 20_000)).not.toBeNull();
  });
});

describe('the result of a refresh', () => {
  it('replaces the version that was refreshed, and ends the lease', async () => {
    const id = await newGrant();
    const before = await persistence.credentials.get(application, id);
    await persistence.credentials.lease(application, id, 1, 20_000);
    const replaced = await persistence.credentials.replace(application, id, 1, tokens('second', 'other client'));
    expect(replaced).toMatchObject({ id: before.id, rowVersion: 2, createdAt: before.createdAt });
    expect(replaced?.credentials).toEqual(tokens('second', 'other client'));
    expect(await persistence.credentials.get(application, id)).toEqual(replaced);
    expect(await persistence.credentials.lease(application, id, 2, 20_000)).not.toBeNull();
  });

  it('T2 of a holder that slept past its lease is refused', async () => {
    const id = await newGrant();
    await persistence.credentials.lease(application, id, 1, 20_000);
    await pass('20 seconds');
    await elsewhere.credentials.lease(application, id, 1, 20_000);
    await elsewhere.credentials.replace(application, id, 1, tokens('newer'));
    expect(await persistence.credentials.replace(application, id, 1, tokens('older'))).toBeNull();
    expect(await stored(id)).toEqual({ refreshToken: 'newer', rowVersion: 2 });
  });

  it('T14 does not bring an account back that was deleted meanwhile', async () => {
    const id = await newGrant();
    await persistence.credentials.lease(application, id, 1, 20_000);
    await elsewhere.accounts.delete(application, id);
    expect(await persistence.credentials.replace(application, id, 1, tokens('second'))).toBeNull();
    expect(await persistence.credentials.replace(application, 'x', 1, tokens('second'))).toBeNull();
    expect(await persistence.admin('select 1 from credential where end_user_account_id = $1', [id])).toEqual([]);
  });

  it('T12 never outlives a reconnect: 1,000 random interleavings end in the newest grant', async () => {
    const id = await newGrant();
    /** What every write made of the row, by version: which grant it is, and the how-manieth refresh of it. */
    const written = new Map<number, { grant: number; refresh: number }>([[1, { grant: 0, refresh: 0 }]]);
    let grants = 0;
    const random = seeded(12);
    const parties = [persistence, elsewhere];
    const party = () => parties[random() < 0.5 ? 0 : 1] as Persistence;

    const reconnect = async () => {
      const grant = (grants += 1);
      const { rowVersion } = await party().credentials.put(application, id, tokens(`${grant}.0`));
      written.set(rowVersion, { grant, refresh: 0 });
    };
    const refresh = async (lateMs: number) => {
      const { credentials } = party();
      const { credentials: found, rowVersion } = await credentials.get(application, id);
      const lease = await credentials.lease(application, id, rowVersion, random() < 0.3 ? 0 : 20_000);
      if (lease === null) return;
      const [grant, count] = (found as OAuthCredentials).refreshToken.split('.').map(Number) as [number, number];
      await sleep(lateMs); // at the provider
      const replaced = await credentials.replace(application, id, rowVersion, tokens(`${grant}.${count + 1}`));
      if (replaced !== null) written.set(replaced.rowVersion, { grant, refresh: count + 1 });
      await credentials.releaseLease(application, id, lease);
    };
    await persistence.credentials.put(application, id, tokens('0.0'));
    written.set(2, { grant: 0, refresh: 0 });
    for (let round = 0; round < 100; round += 1) {
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          await sleep(random() * 5);
          return random() < 0.3 ? reconnect() : refresh(random() * 5);
        }),
      );
    }

    const versions = [...written.keys()].sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: versions.length }, (_, index) => index + 1)); // no write was lost
    for (const version of versions.slice(2)) {
      const [before, after] = [written.get(version - 1), written.get(version)];
      if (after?.refresh === 0) continue; // a reconnect may follow on anything
      expect(after).toEqual({ grant: before?.grant, refresh: (before?.refresh ?? NaN) + 1 });
    }
    const last = written.get(versions.length);
    expect(await stored(id)).toEqual({
      refreshToken: `${last?.grant}.${last?.refresh}`,
      rowVersion: versions.length,
    });
    const newest = [...written].filter(([, { refresh: count }]) => count === 0).sort(([a], [b]) => b - a)[0];
    expect(last?.grant).toBe(newest?.[1].grant);
    // How many refreshes a reconnect leaves room for is the machine's affair; without any nothing was shown.
    expect([...written.values()].filter(({ refresh: count }) => count > 0).length).toBeGreaterThan(0);
  });
});

describe('a shared grant', () => {
  const person = { providerType: 'GOOGLE' as const, serverUrl: null };
  const connect = async (owner: ApplicationRef, providerAccountId: string | null, clientId: string) => {
    const account = await persistence.newAccount(owner, { ...person, providerAccountId });
    await persistence.credentials.put(owner, account.id, tokens('t', clientId));
    return account;
  };

  it('is one of the same person and client, in whatever application', async () => {
    const other = await persistence.newApplication();
    const mine = await connect(application, 'ada', 'shared');
    expect(await persistence.credentials.sharesGrant(mine, 'shared')).toBe(false);
    await connect(other, 'bob', 'shared');
    await connect(await persistence.newApplication(), 'ada', 'own');
    expect(await persistence.credentials.sharesGrant(mine, 'shared')).toBe(false);
    const theirs = await connect(other, 'ada', 'shared');
    expect(await persistence.credentials.sharesGrant(mine, 'shared')).toBe(true);
    expect(await persistence.credentials.sharesGrant({ ...mine, providerType: 'MICROSOFT' }, 'shared')).toBe(false);
    await persistence.accounts.delete(other, theirs.id);
    expect(await persistence.credentials.sharesGrant(mine, 'shared')).toBe(false);
  });

  it('is seen from within the transaction that deletes the account', async () => {
    const mine = await connect(application, 'eve', 'shared');
    await connect(await persistence.newApplication(), 'eve', 'shared');
    await persistence.unitOfWork.run(application, async () => {
      await persistence.accounts.delete(application, mine.id);
      expect(await persistence.credentials.sharesGrant(mine, 'shared')).toBe(true);
      await expect(persistence.credentials.get(application, mine.id)).rejects.toMatchObject({ code: 'NotFound' });
    });
  });

  it('is assumed among accounts whose person the provider did not tell', async () => {
    const mine = await connect(application, null, 'untold');
    expect(await persistence.credentials.sharesGrant(mine, 'untold')).toBe(false);
    await connect(application, null, 'untold');
    expect(await persistence.credentials.sharesGrant(mine, 'untold')).toBe(true);
  });

  it('is none of passwords', async () => {
    const mine = await connect(application, 'pat', 'passwords');
    const other = await connect(await persistence.newApplication(), 'pat', 'passwords');
    await persistence.credentials.put(other, other.id, { kind: 'password', password: 'x' });
    expect(await persistence.credentials.sharesGrant(mine, 'passwords')).toBe(false);
  });
});

/** The same numbers in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
