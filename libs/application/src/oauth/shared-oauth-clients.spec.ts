import { ConfiguredOAuthClients } from './shared-oauth-clients.js';

const NOTHING = { googleClientId: undefined, googleClientSecret: undefined, googleScopes: undefined };
const CLIENT = { ...NOTHING, googleClientId: 'id', googleClientSecret: 'secret' };

describe('ConfiguredOAuthClients', () => {
  it('has the client that is configured, and no other one', () => {
    const clients = new ConfiguredOAuthClients(CLIENT);
    expect(clients.for('GOOGLE')).toEqual({ clientId: 'id', clientSecret: 'secret', scopes: null, tenant: null });
    expect(clients.for('MICROSOFT')).toBeNull();
    expect(new ConfiguredOAuthClients(NOTHING).for('GOOGLE')).toBeNull();
  });

  it.each([
    ['openid email  calendar\n', ['openid', 'email', 'calendar']],
    [' ', null],
    ['', null],
  ])('reads the scopes of %j', (googleScopes, scopes) => {
    expect(new ConfiguredOAuthClients({ ...CLIENT, googleScopes }).for('GOOGLE')?.scopes).toEqual(scopes);
  });

  it.each([
    { ...NOTHING, googleClientId: 'id' },
    { ...NOTHING, googleClientSecret: 'secret' },
  ])('refuses half of a client', (settings) => {
    expect(() => new ConfiguredOAuthClients(settings)).toThrow(/GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET/);
  });
});
