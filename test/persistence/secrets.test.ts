import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EndUserAccount } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { openPersistence, type Persistence } from './persistence.js';
import { authorizationRequest } from './authorization-request.js';

let persistence: Persistence;
let application: ApplicationRef;
let account: EndUserAccount;

beforeAll(async () => {
  persistence = await openPersistence();
  application = await persistence.newApplication();
  account = await persistence.newAccount(application);
});

afterAll(() => persistence.close());

describe('credentials', () => {
  it('come back as they were put, with a version that every write raises', async () => {
    const { id } = await persistence.newAccount(application);
    expect(await persistence.credentials.version(application, id)).toBeNull();
    await expect(persistence.credentials.get(application, id)).rejects.toMatchObject({ code: 'NotFound' });
    const first = await persistence.credentials.put(application, id, { kind: 'password', password: 'pä55' });
    expect(first).toMatchObject({ rowVersion: 1, endUserAccountId: id, credentials: { password: 'pä55' } });
    const oauth = {
      kind: 'oauth' as const,
      clientId: 'c',
      accessToken: 'a',
      refreshToken: 'r',
      expiresAt: new Date(1_800_000_000_000),
    };
    const second = await persistence.credentials.put(application, id, oauth);
    expect(second).toMatchObject({ id: first.id, rowVersion: 2, createdAt: first.createdAt });
    expect(await persistence.credentials.get(application, id)).toEqual(second);
    expect((await persistence.credentials.get(application, id)).credentials).toEqual(oauth);
    expect(await persistence.credentials.version(application, id)).toBe(2);
  });

  it('T12 survive simultaneous writes: every one counts, the row stays one, and it opens', async () => {
    const { id } = await persistence.newAccount(application);
    const stored = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        persistence.credentials.put(application, id, { kind: 'password', password: `p${index}` }),
      ),
    );
    expect(stored.map(({ rowVersion }) => rowVersion).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    const last = stored.find(({ rowVersion }) => rowVersion === 20);
    expect(await persistence.credentials.get(application, id)).toEqual(last);
  });

  it('T14 are not resurrected by a write after, or during, the deletion of their account', async () => {
    const { id } = await persistence.newAccount(application);
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 10 }, () =>
        persistence.credentials.put(application, id, { kind: 'password', password: 'x' }),
      ),
      persistence.accounts.delete(application, id),
    ]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'NotFound' });
    }
    expect(await persistence.admin('select 1 from credential where end_user_account_id = $1', [id])).toEqual([]);
    await expect(
      persistence.credentials.put(application, id, { kind: 'password', password: 'x' }),
    ).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('are written together with their account or not at all', async () => {
    const failing = persistence.unitOfWork.run(application, async () => {
      const made = await persistence.newAccount(application, { email: 'undone@example.org' });
      await persistence.credentials.put(application, made.id, { kind: 'password', password: 'x' });
      throw new Error('later step');
    });
    await expect(failing).rejects.toThrow('later step');
    expect(await persistence.admin('select 1 from end_user_account where email = $1', ['undone@example.org'])).toEqual(
      [],
    );
    const id = await persistence.unitOfWork.run(application, async () => {
      const made = await persistence.newAccount(application, { email: 'done@example.org' });
      await persistence.unitOfWork.run(application, () =>
        persistence.credentials.put(application, made.id, { kind: 'password', password: 'x' }),
      );
      return made.id;
    });
    expect(await persistence.credentials.version(application, id)).toBe(1);
  });

  it('take turns within a transaction that asks for several things at once', async () => {
    const versions = await persistence.unitOfWork.run(application, () =>
      Promise.all([
        persistence.credentials.version(application, account.id),
        persistence.apiKeys.findForVerification('nobody'),
        persistence.accounts.getOwned(application, account.id),
      ]),
    );
    expect(versions).toEqual([null, null, expect.objectContaining({ id: account.id })]);
  });
});

describe('private properties', () => {
  it('are kept per calendar, uid and instance', async () => {
    const scope = { ...application, accountId: account.id, calendarId: 'cal' };
    const longUid = 'u'.repeat(20_000);
    await persistence.privateProperties.save({ ...scope, iCalUid: longUid, instance: '' }, { a: '1' });
    await persistence.privateProperties.save({ ...scope, iCalUid: longUid, instance: '20260101' }, { a: '2' });
    await persistence.privateProperties.save(
      { ...scope, calendarId: 'cal2', iCalUid: longUid, instance: '' },
      { a: '3' },
    );
    await persistence.privateProperties.save({ ...scope, iCalUid: 'v', instance: '' }, { a: '4' });
    await persistence.privateProperties.save({ ...scope, iCalUid: 'v', instance: '' }, { b: 'ünï' });
    const load = async () => {
      const found = await persistence.privateProperties.load(scope, [longUid, 'v', 'w', 'v']);
      return Object.fromEntries([...found].map(([uid, instances]) => [uid, Object.fromEntries(instances)]));
    };
    expect(await load()).toEqual({ [longUid]: { '': { a: '1' }, '20260101': { a: '2' } }, v: { '': { b: 'ünï' } } });
    await persistence.privateProperties.save({ ...scope, iCalUid: 'v', instance: '' }, {});
    await persistence.privateProperties.remove({ ...scope, iCalUid: longUid, instance: '20260101' });
    expect(await load()).toEqual({ [longUid]: { '': { a: '1' } } });
    await persistence.privateProperties.save({ ...scope, iCalUid: longUid, instance: '20260102' }, { a: '5' });
    await persistence.privateProperties.save({ ...scope, iCalUid: longUid, instance: '20260102' }, {});
    expect(await load()).toEqual({ [longUid]: { '': { a: '1' }, '20260102': {} } });
    await persistence.privateProperties.remove({ ...scope, iCalUid: longUid });
    expect(await load()).toEqual({});
  });

  it('survive simultaneous writes', async () => {
    const key = { ...application, accountId: account.id, calendarId: 'cal', iCalUid: 'race', instance: '' };
    await Promise.all(Array.from({ length: 15 }, (_, n) => persistence.privateProperties.save(key, { n: String(n) })));
    const found = await persistence.privateProperties.load(key, ['race']);
    expect(Number(found.get('race')?.get('')?.n)).toBeLessThan(15);
  });
});

describe('T9 ciphertexts', () => {
  it('that are damaged fail those alone who ask for them, whoever asks at the same moment', async () => {
    const [sound, damaged] = [await persistence.newAccount(application), await persistence.newAccount(application)];
    for (const { id } of [sound, damaged]) {
      await persistence.credentials.put(application, id, { kind: 'password', password: 'kept' });
    }
    await persistence.admin("update credential set secret = '\\x00' where end_user_account_id = $1", [damaged.id]);
    const [one, other] = await Promise.allSettled(
      [sound, damaged].map(({ id }) => persistence.credentials.get(application, id)),
    );
    expect(one).toMatchObject({ status: 'fulfilled', value: { credentials: { password: 'kept' } } });
    expect(other).toMatchObject({ status: 'rejected', reason: { name: 'FieldCipherError' } });
  });

  it('do not open in another row', async () => {
    const [a, b] = [await persistence.newAccount(application), await persistence.newAccount(application)];
    await persistence.credentials.put(application, a.id, { kind: 'password', password: 'of a' });
    await persistence.credentials.put(application, b.id, { kind: 'password', password: 'of b' });
    await persistence.admin(
      'update credential set secret = (select secret from credential where end_user_account_id = $1) ' +
        'where end_user_account_id = $2',
      [a.id, b.id],
    );
    await expect(persistence.credentials.get(application, b.id)).rejects.toMatchObject({ name: 'FieldCipherError' });
    expect((await persistence.credentials.get(application, a.id)).credentials).toMatchObject({ password: 'of a' });
  });

  it('do not open in another column', async () => {
    const { id } = await persistence.newAccount(application);
    await persistence.credentials.put(application, id, { kind: 'password', password: 'x' });
    const key = { ...application, accountId: id, calendarId: 'c', iCalUid: 'u', instance: '' };
    await persistence.privateProperties.save(key, { a: 'b' });
    await persistence.admin(
      'update private_property set properties = (select secret from credential where end_user_account_id = $1), ' +
        'id = (select id from credential where end_user_account_id = $1) where end_user_account_id = $1',
      [id],
    );
    await expect(persistence.privateProperties.load(key, ['u'])).rejects.toMatchObject({ name: 'FieldCipherError' });
  });

  it('are never taken for clear text', async () => {
    const { id } = await persistence.newAccount(application);
    await persistence.credentials.put(application, id, { kind: 'password', password: 'x' });
    await persistence.admin('update credential set secret = $2 where end_user_account_id = $1', [
      id,
      Buffer.from('{"kind":"password","password":"planted"}'),
    ]);
    await expect(persistence.credentials.get(application, id)).rejects.toMatchObject({ name: 'FieldCipherError' });
  });
});

describe('T11 a dump of the database', () => {
  it('N04 holds no secret in clear, in any table', async () => {
    const canary = (name: string) => `canary-${name}-7f3a9c`;
    const own = await persistence.newApplication();
    const { id } = await persistence.newAccount(own);
    const other = await persistence.newAccount(own);
    await persistence.credentials.put(own, id, { kind: 'password', password: canary('password') });
    await persistence.credentials.put(own, other.id, {
      kind: 'oauth',
      clientId: 'c',
      accessToken: canary('access'),
      refreshToken: canary('refresh'),
      expiresAt: new Date(),
    });
    await persistence.oauthClients.put(own, 'GOOGLE', {
      clientId: 'c',
      clientSecret: canary('client'),
      scopes: null,
      tenant: null,
    });
    await persistence.authorizationRequests.save(
      authorizationRequest(own, {
        codeVerifier: canary('verifier'),
        nonce: canary('nonce'),
        loginHint: canary('hint'),
        callerState: canary('state'),
      }),
    );
    await persistence.revocations.add(own, {
      providerType: 'GOOGLE',
      providerAccountId: null,
      clientId: 'c',
      token: canary('revoked'),
    });
    const scope = { ...own, accountId: id, calendarId: 'c' };
    await persistence.privateProperties.save(
      { ...scope, iCalUid: 'u', instance: '' },
      { [canary('key')]: canary('value') },
    );
    const claim = await persistence.idempotency.claim({ ...own, key: 'k' }, 'f', 1_000);
    if (claim.state !== 'claimed') throw new Error(claim.state);
    await persistence.idempotency.complete({ ...own, key: 'k' }, claim.claimId, {
      status: 200,
      headers: { 'x-thing': canary('header') },
      body: JSON.stringify({ title: canary('title') }),
    });
    const tables = await persistence.admin<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
    );
    expect(tables.length).toBeGreaterThanOrEqual(20);
    const dump = (
      await Promise.all(
        tables.map(({ name }) => persistence.admin<{ row: string }>(`select t::text as row from ${name} t`)),
      )
    )
      .flat()
      .map(({ row }) => row)
      .join('\n');
    expect(dump).toContain(id);
    for (const form of ['canary-', Buffer.from('canary-').toString('hex'), Buffer.from('canary-').toString('base64')]) {
      expect(dump).not.toContain(form);
    }
  });
});
