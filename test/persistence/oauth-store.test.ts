import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApplicationRef } from '#domain/applications';
import type { NewConnectLink } from '#domain/connect-links';
import type { AuthorizationRequest, OAuthClient, PreparedSignIn } from '#domain/oauth';
import { Clock } from '#domain/system';
import { openPersistence, type Persistence } from './persistence.js';
import { authorizationRequest, connectLink } from './authorization-request.js';

class SettableClock extends Clock {
  ms = Date.now();

  override nowMs(): number {
    return this.ms;
  }
}

const clock = new SettableClock();
let persistence: Persistence;
let application: ApplicationRef;

beforeAll(async () => {
  persistence = await openPersistence({ clock });
  application = await persistence.newApplication();
});

afterAll(() => persistence.close());

const nobody: ApplicationRef = { applicationId: '0197a000-0000-7000-8000-000000000000' };
const noId: ApplicationRef = { applicationId: 'x' };

describe('OAuth clients', () => {
  const client: OAuthClient = {
    ...{ clientId: 'c-1', clientSecret: 'sécret', scopes: ['openid', 'a b'], tenant: null },
    expiresAt: new Date('2027-05-31T00:00:00Z'),
  };

  it('come back as they were put, one per application and provider', async () => {
    const owner = await persistence.newApplication();
    const other = await persistence.newApplication();
    expect(await persistence.oauthClients.find(owner, 'GOOGLE')).toBeNull();
    await persistence.oauthClients.put(owner, 'GOOGLE', client);
    const microsoft = { clientId: 'm', clientSecret: 's', scopes: null, tenant: 'common', expiresAt: null };
    await persistence.oauthClients.put(owner, 'MICROSOFT', microsoft);
    expect(await persistence.oauthClients.find(owner, 'GOOGLE')).toEqual(client);
    expect(await persistence.oauthClients.find(owner, 'MICROSOFT')).toEqual(microsoft);
    expect(await persistence.oauthClients.find(other, 'GOOGLE')).toBeNull();
  });

  it('are replaced whole', async () => {
    const owner = await persistence.newApplication();
    await persistence.oauthClients.put(owner, 'GOOGLE', client);
    const next = { clientId: 'c-2', clientSecret: 'other', scopes: null, tenant: 't', expiresAt: null };
    await persistence.oauthClients.put(owner, 'GOOGLE', next);
    expect(await persistence.oauthClients.find(owner, 'GOOGLE')).toEqual(next);
    expect(await persistence.oauthClients.list(owner)).toHaveLength(1);
  });

  it('survive simultaneous replacements: one stays, and it opens', async () => {
    const owner = await persistence.newApplication();
    await Promise.all(
      Array.from({ length: 15 }, (_, n) =>
        persistence.oauthClients.put(owner, 'GOOGLE', { ...client, clientId: `c${n}`, clientSecret: `s${n}` }),
      ),
    );
    const found = await persistence.oauthClients.find(owner, 'GOOGLE');
    expect(found?.clientSecret).toBe(found?.clientId.replace('c', 's'));
  });

  it('are listed without their secrets', async () => {
    const owner = await persistence.newApplication();
    await persistence.oauthClients.put(owner, 'MICROSOFT', { ...client, tenant: 't' });
    await persistence.oauthClients.put(owner, 'GOOGLE', client);
    const { clientSecret: _, ...open } = client;
    expect(await persistence.oauthClients.list(owner)).toEqual([
      { ...open, providerType: 'GOOGLE' },
      { ...open, providerType: 'MICROSOFT', tenant: 't' },
    ]);
  });

  it('can be removed once', async () => {
    const owner = await persistence.newApplication();
    await persistence.oauthClients.put(owner, 'GOOGLE', client);
    expect(await persistence.oauthClients.remove(owner, 'MICROSOFT')).toBe(false);
    expect(await persistence.oauthClients.remove(owner, 'GOOGLE')).toBe(true);
    expect(await persistence.oauthClients.remove(owner, 'GOOGLE')).toBe(false);
    expect(await persistence.oauthClients.find(owner, 'GOOGLE')).toBeNull();
  });

  it.each([nobody, noId])('are NotFound for the application $applicationId, which is not there', async (ref) => {
    await expect(persistence.oauthClients.put(ref, 'GOOGLE', client)).rejects.toMatchObject({ code: 'NotFound' });
    expect(await persistence.oauthClients.find(ref, 'GOOGLE')).toBeNull();
    expect(await persistence.oauthClients.list(ref)).toEqual([]);
    expect(await persistence.oauthClients.remove(ref, 'GOOGLE')).toBe(false);
  });
});

describe('redirect URLs', () => {
  it('are listed oldest first, each once', async () => {
    const owner = await persistence.newApplication();
    for (const path of ['c', 'a', 'b']) {
      clock.ms += 1;
      expect(await persistence.redirectUrls.add(owner, `https://app.example/${path}`)).toBe(true);
    }
    expect(await persistence.redirectUrls.add(owner, 'https://app.example/a')).toBe(false);
    expect(await persistence.redirectUrls.list(owner)).toEqual([
      'https://app.example/c',
      'https://app.example/a',
      'https://app.example/b',
    ]);
    expect(await persistence.redirectUrls.remove(owner, 'https://app.example/A')).toBe(false);
    expect(await persistence.redirectUrls.remove(owner, 'https://app.example/c')).toBe(true);
    expect(await persistence.redirectUrls.remove(owner, 'https://app.example/c')).toBe(false);
    expect(await persistence.redirectUrls.list(application)).toEqual([]);
  });

  it('keep their place at another address', async () => {
    const owner = await persistence.newApplication();
    for (const path of ['a', 'b']) {
      clock.ms += 1;
      await persistence.redirectUrls.add(owner, `https://app.example/${path}`);
    }
    expect(await persistence.redirectUrls.replace(owner, 'https://app.example/a', 'https://app.example/c')).toBe(true);
    expect(await persistence.redirectUrls.replace(owner, 'https://app.example/a', 'https://app.example/d')).toBe(false);
    expect(await persistence.redirectUrls.replace(noId, 'https://app.example/c', 'https://app.example/d')).toBe(false);
    const stranger = await persistence.newApplication();
    expect(await persistence.redirectUrls.replace(stranger, 'https://app.example/c', 'https://a.test/')).toBe(false);
    expect(await persistence.redirectUrls.list(owner)).toEqual(['https://app.example/c', 'https://app.example/b']);
  });

  it('may be as long as they are allowed to be', async () => {
    const owner = await persistence.newApplication();
    const long = `https://app.example/${randomBytes(990).toString('hex')}`;
    expect(long).toHaveLength(2_000);
    expect(await persistence.redirectUrls.add(owner, long)).toBe(true);
    expect(await persistence.redirectUrls.list(owner)).toEqual([long]);
  });

  it.each([nobody, noId])('are NotFound for the application $applicationId, which is not there', async (ref) => {
    await expect(persistence.redirectUrls.add(ref, 'https://app.example/')).rejects.toMatchObject({ code: 'NotFound' });
    expect(await persistence.redirectUrls.list(ref)).toEqual([]);
    expect(await persistence.redirectUrls.remove(ref, 'https://app.example/')).toBe(false);
  });
});

describe('sign-ins under way', () => {
  const attempt = (given: Partial<AuthorizationRequest> = {}): AuthorizationRequest =>
    authorizationRequest(application, {
      stateHash: createHash('sha256').update(randomUUID()).digest(),
      codeVerifier: 'canary-verifier',
      nonce: 'canary-nonce',
      prompt: 'consent',
      loginHint: 'canary-hint@example.org',
      redirectUrl: 'https://app.example/canary',
      callerState: 'canary-ünï\r\n\0',
      expiresAt: new Date(clock.ms + 600_000),
      ...given,
    });

  it('N33 N42 exist for the first of many takers, and come back whole', async () => {
    const saved = attempt({ again: true, externalId: 'e', prompt: null });
    await persistence.authorizationRequests.save(saved);
    const taken = await Promise.all(
      Array.from({ length: 10 }, () => persistence.authorizationRequests.take(saved.stateHash)),
    );
    expect(taken.filter((one) => one !== null)).toEqual([saved]);
    expect(await persistence.authorizationRequests.take(saved.stateHash)).toBeNull();
  });

  it('N33 are unknown by another state', async () => {
    const saved = attempt();
    await persistence.authorizationRequests.save(saved);
    const bent = Buffer.from(saved.stateHash);
    bent[0] = (bent[0] as number) ^ 1;
    expect(await persistence.authorizationRequests.take(bent)).toBeNull();
    expect(await persistence.authorizationRequests.take(Buffer.alloc(0))).toBeNull();
    expect(await persistence.authorizationRequests.take(saved.stateHash)).toEqual(saved);
  });

  it('N33 are gone when they expire', async () => {
    const saved = attempt();
    await persistence.authorizationRequests.save(saved);
    clock.ms = saved.expiresAt.getTime();
    expect(await persistence.authorizationRequests.take(saved.stateHash)).toBeNull();
    clock.ms -= 1;
    expect(await persistence.authorizationRequests.take(saved.stateHash)).toBeNull();
    const other = attempt();
    await persistence.authorizationRequests.save(other);
    clock.ms = other.expiresAt.getTime() - 1;
    expect(await persistence.authorizationRequests.take(other.stateHash)).toEqual(other);
  });

  it('stay taken when the work of the taker is undone', async () => {
    const saved = attempt();
    await persistence.authorizationRequests.save(saved);
    const failing = persistence.unitOfWork.run(application, async () => {
      await persistence.authorizationRequests.take(saved.stateHash);
      throw new Error('later step');
    });
    await expect(failing).rejects.toThrow('later step');
    expect(await persistence.authorizationRequests.take(saved.stateHash)).toBeNull();
  });

  it('N35 N55 show nothing of themselves to a reader of the table', async () => {
    await persistence.authorizationRequests.save(attempt());
    const rows = await persistence.admin<{ row: string }>('select a::text as row from authorization_request a');
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) {
      expect(row).not.toContain('canary');
      expect(row).not.toContain(Buffer.from('canary').toString('hex'));
    }
  });

  it.each([nobody, noId])('are NotFound for the application $applicationId, which is not there', async (ref) => {
    await expect(persistence.authorizationRequests.save(attempt(ref))).rejects.toMatchObject({ code: 'NotFound' });
    await expect(persistence.authorizationRequests.prepare(prepared(ref))).rejects.toMatchObject({ code: 'NotFound' });
  });

  const prepared = (given: Partial<PreparedSignIn> = {}): PreparedSignIn => ({
    ...application,
    providerType: 'GOOGLE',
    prompt: 'none',
    loginHint: 'canary-hint@example.org',
    redirectUrl: 'https://app.example/canary',
    callerState: null,
    externalId: 'canary-user',
    urlHash: createHash('sha256').update(randomUUID()).digest(),
    expiresAt: new Date(clock.ms + 600_000),
    ...given,
  });

  it('that are prepared exist for the first of many takers, come back whole, and are over when they expire', async () => {
    const kept = prepared();
    await persistence.authorizationRequests.prepare(kept);
    const takers = Array.from({ length: 10 }, () => persistence.authorizationRequests.takePrepared(kept.urlHash));
    expect((await Promise.all(takers)).filter((one) => one !== null)).toEqual([kept]);
    const over = prepared({ expiresAt: new Date(clock.ms) });
    await persistence.authorizationRequests.prepare(over);
    expect(await persistence.authorizationRequests.takePrepared(over.urlHash)).toBeNull();
  });

  it('that are prepared show nothing of themselves to a reader of the table', async () => {
    await persistence.authorizationRequests.prepare(prepared());
    const rows = await persistence.admin<{ row: string }>('select a::text as row from authorization_request a');
    for (const { row } of rows) expect(row).not.toContain(Buffer.from('canary').toString('hex'));
  });
});

describe('connect links', () => {
  const link = (given: Partial<NewConnectLink> = {}) =>
    connectLink(application, {
      externalId: 'canary-user',
      secretHash: createHash('sha256').update(randomUUID()).digest(),
      expiresAt: new Date(clock.ms + 1_800_000),
      ...given,
    });

  it('are found until they are used, once, or over', async () => {
    const kept = link({ providerType: 'APPLE', callerState: 's' });
    await persistence.connectLinks.create(kept);
    const { secretHash, ...rest } = kept;
    const found = await persistence.connectLinks.find(secretHash);
    expect(found).toEqual({ ...rest, id: expect.any(String) });
    const uses = Array.from({ length: 10 }, () => persistence.connectLinks.use(application, found!.id));
    expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1);
    expect(await persistence.connectLinks.find(secretHash)).toBeNull();

    const over = link({ expiresAt: new Date(clock.ms) });
    await persistence.connectLinks.create(over);
    expect(await persistence.connectLinks.find(over.secretHash)).toBeNull();
  });

  it('stay when what they were used for was undone, and are used by nobody else', async () => {
    const kept = link();
    await persistence.connectLinks.create(kept);
    const { id } = (await persistence.connectLinks.find(kept.secretHash))!;
    const failing = persistence.unitOfWork.run(application, async () => {
      expect(await persistence.connectLinks.use(application, id)).toBe(true);
      throw new Error('later step');
    });
    await expect(failing).rejects.toThrow('later step');
    expect(await persistence.connectLinks.use(await persistence.newApplication(), id)).toBe(false);
    expect(await persistence.connectLinks.use(noId, id)).toBe(false);
    expect(await persistence.connectLinks.find(kept.secretHash)).not.toBeNull();
  });

  it.each([[nobody], [noId]])('of no application are refused: %j', async (ref) => {
    await expect(persistence.connectLinks.create(link(ref))).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('show nothing of themselves to a reader of the table', async () => {
    await persistence.connectLinks.create(link());
    const rows = await persistence.admin<{ row: string }>('select a::text as row from connect_link a');
    for (const { row } of rows) expect(row).not.toContain(Buffer.from('canary').toString('hex'));
  });
});

describe('the outbox', () => {
  const messages = () =>
    persistence.admin<{ event_type: string; payload: unknown; relayed_at: null; application_id: string }>(
      'select event_type, payload, relayed_at, application_id from outbox order by created_at, id',
    );

  it('holds what the transaction around it made true, in order, and nothing of one that was undone', async () => {
    const failing = persistence.unitOfWork.run(application, async () => {
      await persistence.outbox.append(application, { eventType: 'enduseraccount.deleted', payload: { n: 0 } });
      throw new Error('later step');
    });
    await expect(failing).rejects.toThrow('later step');
    await persistence.unitOfWork.run(application, async () => {
      for (let n = 1; n <= 20; n += 1) {
        await persistence.outbox.append(application, { eventType: 'enduseraccount.updated', payload: { n, ü: null } });
      }
      expect(await messages()).toEqual([]);
    });
    expect(await messages()).toEqual(
      Array.from({ length: 20 }, (_, index) => ({
        event_type: 'enduseraccount.updated',
        payload: { n: index + 1, ü: null },
        relayed_at: null,
        application_id: application.applicationId,
      })),
    );
  });
});

describe('revocations that wait', () => {
  const revocation = (token: string) => ({
    providerType: 'GOOGLE' as const,
    providerAccountId: 'sub',
    clientId: 'c',
    token,
  });
  const makeDue = () => persistence.admin("update grant_revocation set next_attempt_at = now() - interval '1 second'");

  it('belong for a minute to who added them', async () => {
    const added = await persistence.revocations.add(application, revocation('t-1'));
    expect(added).toEqual({ ...revocation('t-1'), ...application, id: added.id, attempts: 0 });
    expect(await persistence.revocations.claimDue(10)).toEqual([]);
    await persistence.admin("update grant_revocation set next_attempt_at = next_attempt_at - interval '59 seconds'");
    expect(await persistence.revocations.claimDue(10)).toEqual([]);
    await persistence.admin("update grant_revocation set next_attempt_at = next_attempt_at - interval '1 second'");
    expect(await persistence.revocations.claimDue(10)).toEqual([{ ...added, attempts: 1 }]);
    expect(await persistence.revocations.find(application, added.id)).toEqual({ ...added, attempts: 1 });
    expect(await persistence.revocations.find({ applicationId: added.id }, added.id)).toBeNull();
    await persistence.revocations.remove(added);
    expect(await persistence.revocations.find(application, added.id)).toBeNull();
    await makeDue();
    expect(await persistence.revocations.claimDue(10)).toEqual([]);
  });

  it('are under way for ten seconds, for every application and for that person and client alone', async () => {
    const { token: _, ...grant } = revocation('t-1');
    const isUnderWay = (over: Partial<typeof grant> = {}) =>
      persistence.revocations.isFirstAttemptUnderWay({ ...grant, ...over });
    expect(await isUnderWay()).toBe(false);
    const added = await persistence.revocations.add(application, revocation('t-1'));
    expect(await isUnderWay()).toBe(true);
    for (const over of [
      { providerType: 'MICROSOFT' as never },
      { providerAccountId: 'other' },
      { clientId: 'other' },
    ]) {
      expect([over, await isUnderWay(over)]).toEqual([over, false]);
    }
    await persistence.admin("update grant_revocation set next_attempt_at = next_attempt_at - interval '10 seconds'");
    expect(await isUnderWay()).toBe(false);
    await persistence.revocations.remove(added);
  });

  it('T14 vanish with the transaction that was to delete the account', async () => {
    const failing = persistence.unitOfWork.run(application, async () => {
      await persistence.revocations.add(application, revocation('undone'));
      throw new Error('later step');
    });
    await expect(failing).rejects.toThrow('later step');
    expect(await persistence.admin('select 1 from grant_revocation')).toEqual([]);
  });

  it('are given to one of several claimers each, at most as many as asked for', async () => {
    for (let n = 0; n < 30; n += 1) await persistence.revocations.add(application, revocation(`t${n}`));
    await makeDue();
    const claimed = await Promise.all(Array.from({ length: 5 }, () => persistence.revocations.claimDue(4)));
    for (const some of claimed) expect(some.length).toBeLessThanOrEqual(4);
    const rest = await persistence.revocations.claimDue(100);
    const tokens = [...claimed.flat(), ...rest].map(({ token }) => token);
    expect(tokens.sort()).toEqual(Array.from({ length: 30 }, (_, n) => `t${n}`).sort());
    for (const one of [...claimed.flat(), ...rest]) await persistence.revocations.remove(one);
  });

  it('come again later each time, up to six hours', async () => {
    const added = await persistence.revocations.add(application, revocation('again'));
    const minutes: number[] = [];
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      await makeDue();
      expect(await persistence.revocations.claimDue(1)).toEqual([{ ...added, attempts: attempt }]);
      const [row] = await persistence.admin<{ minutes: number }>(
        'select round(extract(epoch from next_attempt_at - now()) / 60)::int as minutes from grant_revocation',
      );
      minutes.push(row?.minutes ?? 0);
    }
    expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360]);
    await persistence.revocations.remove(added);
  });
});
