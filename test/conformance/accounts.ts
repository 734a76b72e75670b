import type { Fixture } from './subject.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

export function accountsConform(fixture: () => Fixture): void {
  describe('accounts', () => {
    it('answers a connected account with every field of the model', async () => {
      const { service, subject, accountId } = fixture();
      const { status, body } = await service.call('GET', `/v1/endUserAccounts/${accountId}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        id: expect.stringMatching(UUID),
        createdAt: expect.stringMatching(INSTANT),
        updatedAt: expect.stringMatching(INSTANT),
        email: expect.any(String),
        externalId: expect.any(String),
        authorizedScopes: expect.any(Array),
        providerId: expect.any(String),
        applicationId: service.applicationId,
        status: 'ACTIVE',
        providerType: subject.providerType,
      });
      expect(body).toHaveProperty('providerAccountId');
      expect(body).toHaveProperty('serverUrl');
    });

    it('keeps id and createdAt when the account is connected again', async () => {
      const { service, subject, accountId } = fixture();
      const before = (await service.call('GET', `/v1/endUserAccounts/${accountId}`)).body;
      const again = await subject.connect(service);
      expect(again.status).toBe(200);
      expect(again.body).toMatchObject({ id: accountId, createdAt: before.createdAt, status: 'ACTIVE' });
    });

    it('refuses wrong credentials with 400 and creates nothing', async () => {
      const { service, subject } = fixture();
      const before = (await service.call('GET', '/v1/endUserAccounts')).body.data.length;
      const { status, body } = await subject.connectWrongly(service);
      expect(status).toBe(400);
      expect(body).toMatchObject({
        error: 'CredentialsRejected',
        code: 'CredentialsRejected',
        requestId: expect.any(String),
      });
      expect((await service.call('GET', '/v1/endUserAccounts')).body.data).toHaveLength(before);
    });

    it('finds the account by part of its email, whatever the case, and not by a wildcard', async () => {
      const { service, accountId } = fixture();
      const email = (await service.call('GET', `/v1/endUserAccounts/${accountId}`)).body.email as string;
      const found = await service.call('GET', '/v1/endUserAccounts', {
        query: { search: email.slice(0, 4).toUpperCase() },
      });
      expect(found.body.data.map(({ id }: any) => id)).toContain(accountId);
      const literal = await service.call('GET', '/v1/endUserAccounts', { query: { search: '%' } });
      expect(literal.body.data).toEqual([]);
    });

    it('filters by status', async () => {
      const { service, accountId } = fixture();
      const active = await service.call('GET', '/v1/endUserAccounts', { query: { statusFilter: 'active' } });
      expect(active.body.data.map(({ id }: any) => id)).toContain(accountId);
      const expired = await service.call('GET', '/v1/endUserAccounts', { query: { statusFilter: 'expired' } });
      expect(expired.body).toEqual({ data: [], nextPageToken: null });
    });

    it('gives credentials without ever giving a password', async () => {
      const { service, accountId } = fixture();
      const { status, body, headers } = await service.call('GET', `/v1/endUserAccounts/${accountId}/credentials`);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toContain('no-store');
      expect(Object.keys(body).sort()).toEqual(
        [
          'accessToken',
          'createdAt',
          'endUserAccountId',
          'expiresAt',
          'id',
          'refreshToken',
          'status',
          'updatedAt',
        ].sort(),
      );
      expect(body).toMatchObject({ endUserAccountId: accountId, status: 'ACTIVE' });
    });
  });
}
