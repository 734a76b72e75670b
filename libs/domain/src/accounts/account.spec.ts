import { hasSamePublicState, type EndUserAccount } from './account.js';

const ACCOUNT: EndUserAccount = {
  id: 'a',
  applicationId: 'app',
  providerType: 'GOOGLE',
  email: 'ada@example.test',
  externalId: null,
  authorizedScopes: ['calendar', 'openid'],
  providerAccountId: '4711',
  providerId: 'p',
  status: 'ACTIVE',
  statusReason: null,
  serverUrl: null,
  providerState: { version: 1 },
  createdAt: new Date('2026-01-02T03:04:05Z'),
  updatedAt: new Date('2026-01-02T03:04:05Z'),
};

describe('hasSamePublicState', () => {
  it.each<Partial<EndUserAccount>>([
    {},
    { updatedAt: new Date('2026-02-02T03:04:05Z') },
    { externalId: '' },
    { authorizedScopes: ['openid', 'calendar'] },
    { statusReason: 'reconnected' },
    { providerState: null },
  ])('holds with %j', (given) => {
    expect(hasSamePublicState(ACCOUNT, { ...ACCOUNT, ...given })).toBe(true);
  });

  it.each<Partial<EndUserAccount>>([
    { email: 'Ada@example.test' },
    { externalId: 'x' },
    { authorizedScopes: ['calendar'] },
    { authorizedScopes: ['calendar', 'openid', 'email'] },
    { authorizedScopes: ['calendar openid'] },
    { providerAccountId: null },
    { providerId: 'q' },
    { status: 'EXPIRED' },
    { serverUrl: 'https://dav.example/' },
  ])('does not with %j', (given) => {
    expect(hasSamePublicState(ACCOUNT, { ...ACCOUNT, ...given })).toBe(false);
  });
});
