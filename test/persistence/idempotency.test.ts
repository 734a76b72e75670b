import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApplicationRef, StoredResponse } from '#domain/applications';
import { KeyRing } from '#persistence';
import { KEY_ENTRY, openPersistence, type Persistence } from './persistence.js';

let persistence: Persistence;
let application: ApplicationRef;
let keys = 0;

beforeAll(async () => {
  persistence = await openPersistence();
  application = await persistence.newApplication();
});

afterAll(() => persistence.close());

const response: StoredResponse = { status: 201, headers: { 'x-ignored-fields': 'color' }, body: '{"id":"ü"}' };
const newKey = () => ({ ...application, key: `key-${(keys += 1)}` });

async function claimed(
  scope: { applicationId: string; key: string },
  fingerprint = 'f',
  lockMs = 60_000,
): Promise<string> {
  const claim = await persistence.idempotency.claim(scope, fingerprint, lockMs);
  if (claim.state !== 'claimed') throw new Error(`state is ${claim.state}`);
  return claim.claimId;
}

describe('idempotency records', () => {
  it('answer a repeated request with the first answer', async () => {
    const scope = newKey();
    await persistence.idempotency.complete(scope, await claimed(scope), response);
    expect(await persistence.idempotency.claim(scope, 'f', 1)).toEqual({ state: 'completed', response });
  });

  it('tell the same key with another request, running or done', async () => {
    const scope = newKey();
    const claimId = await claimed(scope);
    expect(await persistence.idempotency.claim(scope, 'g', 1)).toEqual({ state: 'mismatch' });
    await persistence.idempotency.complete(scope, claimId, response);
    expect(await persistence.idempotency.claim(scope, 'g', 1)).toEqual({ state: 'mismatch' });
  });

  it('give a key to one of 30 simultaneous requests', async () => {
    const scope = newKey();
    const claims = await Promise.all(
      Array.from({ length: 30 }, () => persistence.idempotency.claim(scope, 'f', 30_000)),
    );
    expect(claims.filter(({ state }) => state === 'claimed')).toHaveLength(1);
    const waiting = claims.filter((claim) => claim.state === 'inFlight');
    expect(waiting).toHaveLength(29);
    for (const { retryAfterSeconds } of waiting) {
      expect(Number.isInteger(retryAfterSeconds)).toBe(true);
      expect(retryAfterSeconds).toBeGreaterThanOrEqual(25);
      expect(retryAfterSeconds).toBeLessThanOrEqual(30);
    }
  });

  it('let go of a failed request', async () => {
    const scope = newKey();
    await persistence.idempotency.release(scope, await claimed(scope));
    expect(await persistence.idempotency.claim(scope, 'g', 1_000)).toMatchObject({ state: 'claimed' });
  });

  it('F23 pass on the claim of a dead holder, whose late answer changes nothing', async () => {
    const scope = newKey();
    const dead = await claimed(scope, 'f', 1);
    await new Promise((done) => setTimeout(done, 20));
    const heirs = await Promise.all(
      Array.from({ length: 10 }, () => persistence.idempotency.claim(scope, 'f', 60_000)),
    );
    const [heir] = heirs.filter((claim) => claim.state === 'claimed');
    expect(heirs.filter(({ state }) => state === 'claimed')).toHaveLength(1);
    await persistence.idempotency.complete(scope, dead, { ...response, body: '"late"' });
    await persistence.idempotency.release(scope, dead);
    expect((await persistence.idempotency.claim(scope, 'f', 1)).state).toBe('inFlight');
    if (heir?.state === 'claimed') await persistence.idempotency.complete(scope, heir.claimId, response);
    expect(await persistence.idempotency.claim(scope, 'f', 1)).toEqual({ state: 'completed', response });
    await persistence.idempotency.release(scope, heir?.state === 'claimed' ? heir.claimId : '');
    expect(await persistence.idempotency.claim(scope, 'f', 1)).toEqual({ state: 'completed', response });
  });

  it('are forgotten after 24 hours, also before housekeeping', async () => {
    const scope = newKey();
    await persistence.idempotency.complete(scope, await claimed(scope), response);
    const age = (interval: string) =>
      persistence.admin(
        `update idempotency_record set expires_at = expires_at - interval '${interval}' where key = $1`,
        [scope.key],
      );
    await age('23 hours 59 minutes');
    expect((await persistence.idempotency.claim(scope, 'f', 1)).state).toBe('completed');
    await age('2 minutes');
    const second = await claimed(scope, 'other request');
    await persistence.idempotency.complete(scope, second, { ...response, status: 200 });
    expect(await persistence.idempotency.claim(scope, 'other request', 1)).toMatchObject({
      state: 'completed',
      response: { status: 200 },
    });
  });

  it('hold even if the transaction around them is undone', async () => {
    const scope = newKey();
    await expect(
      persistence.unitOfWork.run(application, async () => {
        await claimed(scope);
        throw new Error('undo');
      }),
    ).rejects.toThrow('undo');
    expect((await persistence.idempotency.claim(scope, 'f', 1)).state).toBe('inFlight');
  });

  it('hold no fingerprint that can be tried without the key', async () => {
    const scope = newKey();
    const request = 'POST /api/v1/basicAuth/connect with a password';
    await claimed(scope, request);
    const [row] = await persistence.admin<{ fingerprint: string }>(
      'select fingerprint from idempotency_record where key = $1',
      [scope.key],
    );
    expect(row?.fingerprint).toMatch(/^[\w.-]+:[0-9a-f]{64}$/);
    const unkeyed = [request, createHash('sha256').update(request).digest('hex')];
    expect(unkeyed).not.toContain(row?.fingerprint.split(':')[1]);
  });

  it('are the same request for processes with another first key', async () => {
    const newEntry = KeyRing.generateEntry('k2');
    const next = await openPersistence({
      testDatabase: persistence.testDatabase,
      keyRing: KeyRing.parse(`${newEntry},${KEY_ENTRY}`),
    });
    const both = await openPersistence({
      testDatabase: persistence.testDatabase,
      keyRing: KeyRing.parse(`${KEY_ENTRY},${newEntry}`),
    });
    try {
      for (const [first, second] of [
        [persistence, next],
        [next, both],
      ] as const) {
        const scope = newKey();
        const claim = await first.idempotency.claim(scope, 'f', 60_000);
        expect((await second.idempotency.claim(scope, 'f', 1)).state).toBe('inFlight');
        expect((await second.idempotency.claim(scope, 'g', 1)).state).toBe('mismatch');
        if (claim.state === 'claimed') await first.idempotency.complete(scope, claim.claimId, response);
        expect(await second.idempotency.claim(scope, 'f', 1)).toEqual({ state: 'completed', response });
        const dead = newKey();
        expect((await first.idempotency.claim(dead, 'f', 1)).state).toBe('claimed');
        await new Promise((done) => setTimeout(done, 20));
        expect((await second.idempotency.claim(dead, 'f', 60_000)).state).toBe('claimed');
      }
    } finally {
      await next.close();
      await both.close();
    }
  });
});
