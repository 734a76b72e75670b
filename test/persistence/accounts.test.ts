import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openPersistence, type Persistence } from './persistence.js';

describe('account repository', () => {
  let persistence: Persistence;
  let application: { applicationId: string };

  beforeAll(async () => {
    persistence = await openPersistence();
    application = await persistence.newApplication();
  }, 60_000);

  afterAll(() => persistence.close());

  const caldav = (email: string, serverUrl = 'https://dav.example.org/') => ({
    providerType: 'CALDAV' as const,
    email,
    serverUrl,
    authorizedScopes: ['calendar'],
    providerAccountId: 'p-1',
    providerState: { principal: '/p/' },
  });

  it('keeps id and createdAt when the same account is connected again, whatever the case of the address', async () => {
    const first = await persistence.accounts.upsert(application, { ...caldav('Ada@Example.org'), externalId: 'e-1' });
    const again = await persistence.accounts.upsert(application, caldav('ada@example.ORG'));
    expect(first.created).toBe(true);
    expect(again.created).toBe(false);
    expect(again.account).toMatchObject({
      id: first.account.id,
      createdAt: first.account.createdAt,
      email: 'ada@example.ORG',
      externalId: 'e-1',
      providerId: first.account.providerId,
    });
  });
});
