import { createHash } from 'node:crypto';
import { jest } from '@jest/globals';
import type { ApiKeyForVerification, NewApiKey } from '#domain/applications';
import type { AuditEntry } from '#domain/operator';
import { knownApplications } from '../../testing/known-records.js';
import { ApiKeysService, type CreateApiKey } from './api-keys.service.js';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-01-01T00:00:00Z');

function fixture() {
  const time = { nowMs: START };
  const rows = new Map<string, ApiKeyForVerification>();
  const audited: AuditEntry[] = [];
  let ids = 0;
  const repository = {
    async create(key: NewApiKey) {
      const row = { ...key, revokedAt: null, lastUsedAt: null, createdAt: new Date(time.nowMs), rateLimitRps: 7 };
      rows.set(key.id, row);
      return row;
    },
    async list(applicationId: string) {
      return [...rows.values()].filter((row) => row.applicationId === applicationId);
    },
    findForVerification: jest.fn(async (id: string): Promise<ApiKeyForVerification | null> => {
      const row = rows.get(id);
      return row === undefined ? null : { ...row };
    }),
    listSecretHashes: jest.fn(async (since: Date | null) =>
      [...rows.values()].filter(({ createdAt }) => since === null || createdAt >= since),
    ),
    async revoke(id: string, revokedAt: Date) {
      const row = rows.get(id);
      if (row !== undefined) row.revokedAt ??= revokedAt;
      return row !== undefined;
    },
    touch: jest.fn(async () => undefined),
  };
  /** One process; several share the database. */
  const start = () =>
    new ApiKeysService(
      repository,
      knownApplications('app'),
      { record: async (entry: AuditEntry) => void audited.push(entry) },
      { next: () => `01890000-0000-7000-8000-${String((ids += 1)).padStart(12, '0')}` },
      { nowMs: () => time.nowMs },
    );
  const service = start();
  const create = (more: Partial<CreateApiKey> = {}) =>
    service.create({ applicationId: 'app', name: 'ci', expires: 'never', ...more });
  return { service, start, create, time, rows, audited, repository };
}

const details = (path: string) => ({ code: 'ValidationFailed', details: [expect.objectContaining({ path })] });
/** The same key with another secret of the same shape. */
const withWrongSecret = (key: string) => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');

describe('ApiKeysService.create', () => {
  it('N04 shows the key once and keeps a hash of its secret', async () => {
    const { create, rows, service, audited } = fixture();
    const { apiKey, ...view } = await create({ name: ' ci ' });
    const [, hexId, secret = ''] = /^uck_([0-9a-f]{32})_([A-Za-z0-9-]{43})$/.exec(apiKey) ?? [];
    expect(hexId).toBe(view.apiKeyId.replaceAll('-', ''));
    const row = rows.get(view.apiKeyId)!;
    expect(row.secretHash).toEqual(createHash('sha256').update(secret).digest());
    expect(row).toMatchObject({ name: 'ci', secretTail: secret.slice(-4), expiresAt: null });
    expect(view).toMatchObject({ applicationId: 'app', scopes: ['read', 'write'] });
    for (const shown of [rows.get(view.apiKeyId), await service.list('app'), audited]) {
      expect(JSON.stringify(shown)).not.toContain(secret);
    }
    expect(audited).toEqual([expect.objectContaining({ action: 'api-key.created', actor: 'ops' })]);
  });

  it('makes another secret each time', async () => {
    const { create } = fixture();
    const keys = await Promise.all(Array.from({ length: 100 }, () => create()));
    expect(new Set(keys.map(({ apiKey }) => apiKey.slice(-43))).size).toBe(100);
  });

  it.each([
    ['7', START + 7 * DAY_MS],
    ['30', START + 30 * DAY_MS],
    ['90', START + 90 * DAY_MS],
    ['180', START + 180 * DAY_MS],
    ['365', START + 365 * DAY_MS],
    ['2026-06-01', Date.parse('2026-06-01T00:00:00Z')],
    ['2026-06-01T12:00:00+02:00', Date.parse('2026-06-01T10:00:00Z')],
  ])('expires: %s', async (expires, at) => {
    expect((await fixture().create({ expires })).expiresAt).toBe(new Date(at).toISOString());
  });

  it.each([
    '',
    '0',
    '8',
    '-7',
    'Never',
    '7 days',
    '2025-12-31',
    '2026-01-01T00:00:00Z',
    '2026-13-01',
    '2026-02-30',
    '2026-02-30T10:00:00Z',
    '2026-06-01T12:00:00',
    'x',
  ])('refuses to expire %j', async (expires) => {
    await expect(fixture().create({ expires })).rejects.toMatchObject(details('expires'));
  });

  it('hands out tokens only with a key that was asked to', async () => {
    const { create } = fixture();
    expect((await create()).scopes).toEqual(['read', 'write']);
    expect((await create({ scopes: ['credentials:read', 'read'] })).scopes).toEqual(['read', 'credentials:read']);
  });

  it('takes a choice of scopes and nothing else', async () => {
    const { create } = fixture();
    expect((await create({ scopes: ['write', 'read', 'read'] })).scopes).toEqual(['read', 'write']);
    for (const scopes of [[], ['admin'], ['read', 'admin'], ['__proto__']]) {
      await expect(create({ scopes })).rejects.toMatchObject(details('scopes'));
    }
  });

  it('needs a name and an application', async () => {
    const { create, rows } = fixture();
    await expect(create({ name: '  ' })).rejects.toMatchObject(details('name'));
    await expect(create({ name: 'x'.repeat(201) })).rejects.toMatchObject(details('name'));
    await expect(create({ applicationId: 'other' })).rejects.toMatchObject({ code: 'NotFound' });
    expect(rows.size).toBe(0);
  });
});

describe('ApiKeysService.verify', () => {
  it('tells whose key it is, and notes that it was used', async () => {
    const { service, create, repository } = fixture();
    const { apiKey, apiKeyId } = await create({ scopes: ['read'] });
    expect(await service.verify(apiKey)).toEqual({
      applicationId: 'app',
      keyId: apiKeyId,
      scopes: ['read'],
      rateLimitRps: 7,
    });
    expect(repository.touch).toHaveBeenCalledWith(apiKeyId, new Date(START));
  });

  it.each([undefined, ''])('N01 %j is missing', async (text) => {
    await expect(fixture().service.verify(text)).rejects.toMatchObject({ code: 'MissingApiKey' });
  });

  it('N02 answers malformed, unknown and wrong keys with the same words, after one look-up each', async () => {
    const { service, create, repository } = fixture();
    const { apiKey } = await create();
    const responses = new Set<string>();
    const wrong = [
      withWrongSecret(apiKey),
      apiKey.replace(/^uck_.{32}/, `uck_${'0'.repeat(32)}`),
      'x',
      `${apiKey}, ${apiKey}`,
      ` ${apiKey}`,
      apiKey.toUpperCase(),
      apiKey.slice(0, -1),
      `uck_${'é'.repeat(32)}_x`,
    ];
    for (const text of wrong) {
      repository.findForVerification.mockClear();
      const error = await service.verify(text).catch((thrown: unknown) => thrown as Error & { code: string });
      responses.add(`${(error as { code: string }).code} ${(error as Error).message}`);
      expect(repository.findForVerification).toHaveBeenCalledTimes(1);
    }
    expect([...responses]).toEqual(['InvalidApiKey The application key is not valid.']);
    expect(repository.touch).not.toHaveBeenCalled();
  });

  it('N02 never answers a wrong secret from memory', async () => {
    const { service, create, repository } = fixture();
    const { apiKey } = await create();
    await service.verify(apiKey);
    repository.findForVerification.mockClear();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await expect(service.verify(withWrongSecret(apiKey))).rejects.toMatchObject({ code: 'InvalidApiKey' });
      expect(repository.findForVerification).toHaveBeenCalledTimes(attempt);
    }
  });

  it('N07 spends one statement a second on all guesses that are over the limit, and lets right keys in', async () => {
    const { create, start, repository, time } = fixture();
    const { apiKey } = await create();
    const service = start();
    const noLookUp = async () => false;
    for (let guess = 0; guess < 20; guess += 1) {
      const unknown = apiKey.replace(/^uck_.{32}/, `uck_${String(guess).padStart(32, '0')}`);
      for (const text of [unknown, withWrongSecret(apiKey), 'x']) {
        await expect(service.verify(text, noLookUp)).rejects.toMatchObject({ code: 'InvalidApiKey' });
      }
    }
    expect(repository.findForVerification).not.toHaveBeenCalled();
    expect(repository.listSecretHashes).toHaveBeenCalledTimes(1);
    // Never seen by this process, and made by another one since.
    expect(await service.verify(apiKey, noLookUp)).toMatchObject({ applicationId: 'app' });
    time.nowMs += 1_000;
    const { apiKey: fresh, apiKeyId } = await create();
    expect(await service.verify(fresh, noLookUp)).toMatchObject({ keyId: apiKeyId });
    expect(repository.listSecretHashes).toHaveBeenLastCalledWith(new Date(START - 300_000));
    // Known is not admitted.
    await start().revoke(apiKeyId);
    time.nowMs += 1_000;
    await expect(service.verify(fresh, noLookUp)).rejects.toMatchObject({ code: 'InvalidApiKey' });
  });

  it('looks a right key up once a second at most, also when many ask at once', async () => {
    const { service, create, repository, time } = fixture();
    const { apiKey } = await create();
    await Promise.all(Array.from({ length: 50 }, () => service.verify(apiKey)));
    time.nowMs += 999;
    await service.verify(apiKey);
    expect(repository.findForVerification).toHaveBeenCalledTimes(1);
    time.nowMs += 1;
    await service.verify(apiKey);
    expect(repository.findForVerification).toHaveBeenCalledTimes(2);
  });

  it('looks up again when the clock was set back', async () => {
    const { service, create, repository, time } = fixture();
    const { apiKey } = await create();
    await service.verify(apiKey);
    time.nowMs -= 3_600_000;
    await service.verify(apiKey);
    expect(repository.findForVerification).toHaveBeenCalledTimes(2);
  });

  it('N03 refuses a key that another process revoked within a second', async () => {
    const { service, start, create, time } = fixture();
    const { apiKey, apiKeyId } = await create();
    await service.verify(apiKey);
    await start().revoke(apiKeyId);
    time.nowMs += 1_000;
    await expect(service.verify(apiKey)).rejects.toMatchObject({ code: 'InvalidApiKey' });
  });

  it('N03 the process that revokes it refuses it at once', async () => {
    const { service, create, audited } = fixture();
    const { apiKey, apiKeyId } = await create();
    await service.verify(apiKey);
    await service.revoke(apiKeyId);
    await expect(service.verify(apiKey)).rejects.toMatchObject({ code: 'InvalidApiKey' });
    expect(audited.at(-1)).toMatchObject({ action: 'api-key.revoked', subject: `api-key:${apiKeyId}` });
  });

  it('N03 an answer of the database that is older than a second does not let a revoked key in', async () => {
    const { service, start, create, repository, time } = fixture();
    const { apiKey, apiKeyId } = await create();
    const before = await repository.findForVerification(apiKeyId);
    let response!: () => void;
    repository.findForVerification.mockImplementationOnce(
      () => new Promise((resolve) => (response = () => resolve(before))),
    );
    const early = service.verify(apiKey);
    await start().revoke(apiKeyId);
    time.nowMs += 1_500;
    const late = service.verify(apiKey).catch((error: unknown) => error);
    response();
    await early;
    expect(await late).toMatchObject({ code: 'InvalidApiKey' });
  });

  it('N03 refuses a key from the moment it expires, out of memory too', async () => {
    const { service, create, time } = fixture();
    const { apiKey } = await create({ expires: '7' });
    time.nowMs += 7 * DAY_MS - 1;
    await service.verify(apiKey);
    time.nowMs += 1;
    await expect(service.verify(apiKey)).rejects.toMatchObject({ code: 'ApiKeyExpired' });
  });

  it('N02 says of an expired key that it has expired only to who has its secret', async () => {
    const { service, create, time } = fixture();
    const { apiKey } = await create({ expires: '7' });
    time.nowMs += 8 * DAY_MS;
    await expect(service.verify(withWrongSecret(apiKey))).rejects.toMatchObject({ code: 'InvalidApiKey' });
  });

  it('does not take a fault of the database for an answer, and asks again afterwards', async () => {
    const { service, create, repository } = fixture();
    const { apiKey } = await create();
    repository.findForVerification.mockRejectedValueOnce(new Error('database away'));
    await expect(service.verify(apiKey)).rejects.toThrow('database away');
    await expect(service.verify(apiKey)).resolves.toBeDefined();
  });
});

describe('ApiKeysService.list and revoke', () => {
  it('show keys without their secrets and revoke them once and for all', async () => {
    const { service, create, time } = fixture();
    const { apiKeyId } = await create();
    time.nowMs += 1_000;
    await service.revoke(apiKeyId);
    time.nowMs += 1_000;
    await service.revoke(apiKeyId);
    expect(await service.list('app')).toEqual([
      {
        apiKeyId,
        applicationId: 'app',
        name: 'ci',
        prefix: expect.stringMatching(/^uck_[0-9a-f]{12}$/),
        scopes: ['read', 'write'],
        expiresAt: null,
        revokedAt: '2026-01-01T00:00:01.000Z',
        lastUsedAt: null,
        createdAt: '2026-01-01T00:00:00.000Z',
      },
    ]);
    await expect(service.list('other')).rejects.toMatchObject({ code: 'NotFound' });
    await expect(service.revoke('unknown')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('show how the text of a key begins', async () => {
    const { service, create } = fixture();
    const { apiKey, prefix } = await create();
    expect(apiKey.startsWith(prefix)).toBe(true);
    expect(await service.list('app')).toEqual([expect.objectContaining({ prefix })]);
  });

  it('do not reach the key of another application', async () => {
    const { service, create } = fixture();
    const { apiKey, apiKeyId } = await create();
    await expect(service.revoke(apiKeyId, 'other')).rejects.toMatchObject({ code: 'NotFound' });
    await expect(service.verify(apiKey)).resolves.toBeDefined();
    await service.revoke(apiKeyId, 'app');
    await expect(service.verify(apiKey)).rejects.toMatchObject({ code: 'InvalidApiKey' });
  });
});
