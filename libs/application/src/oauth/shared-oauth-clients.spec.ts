import type { ProviderType } from '#domain';
import { ConfiguredOAuthClients, type SharedClientSettings } from './shared-oauth-clients.js';

const GOOGLE = { googleClientId: 'id', googleClientSecret: 'secret' };
const MICROSOFT = { microsoftClientId: 'ms-id', microsoftClientSecret: 'ms-secret' };

describe('ConfiguredOAuthClients', () => {
  it.each<[SharedClientSettings, ProviderType[]]>([
    [{}, []],
    [GOOGLE, ['GOOGLE']],
    [MICROSOFT, ['MICROSOFT']],
    [{ ...GOOGLE, ...MICROSOFT }, ['GOOGLE', 'MICROSOFT']],
    [{ microsoftTenant: 'common', microsoftScopes: 'openid' }, []],
  ])('has the clients of %j, and no other ones', (settings, expected) => {
    const clients = new ConfiguredOAuthClients(settings);
    const all: ProviderType[] = ['GOOGLE', 'MICROSOFT', 'APPLE', 'CALDAV'];
    expect(all.filter((providerType) => clients.for(providerType) !== null)).toEqual(expected);
  });

  it('gives each its own settings, and a tenant to those of MICROSOFT', () => {
    const clients = new ConfiguredOAuthClients({
      ...{ ...GOOGLE, googleScopes: 'calendar' },
      ...{ ...MICROSOFT, microsoftScopes: 'Calendars.Read', microsoftTenant: 'organizations' },
    });
    expect(clients.for('GOOGLE')).toEqual({
      ...{ clientId: 'id', clientSecret: 'secret', scopes: ['calendar'], tenant: null },
    });
    expect(clients.for('MICROSOFT')).toEqual({
      ...{ clientId: 'ms-id', clientSecret: 'ms-secret', scopes: ['Calendars.Read'], tenant: 'organizations' },
    });
    expect(new ConfiguredOAuthClients(MICROSOFT).for('MICROSOFT')).toMatchObject({ scopes: null, tenant: null });
  });

  it.each([
    ['openid email  calendar\n', ['openid', 'email', 'calendar']],
    [' ', null],
    ['', null],
  ])('reads the scopes of %j', (googleScopes, scopes) => {
    expect(new ConfiguredOAuthClients({ ...GOOGLE, googleScopes }).for('GOOGLE')?.scopes).toEqual(scopes);
  });

  it.each<[string, SharedClientSettings]>([
    ['GOOGLE', { googleClientId: 'same' }],
    ['GOOGLE', { googleClientSecret: 'secret', ...MICROSOFT }],
    ['MICROSOFT', { microsoftClientId: 'id', ...GOOGLE }],
    ['MICROSOFT', { microsoftClientSecret: 'secret' }],
  ])('refuses half of a client of %s', (name, settings) => {
    expect(() => new ConfiguredOAuthClients(settings)).toThrow(
      `${name}_CLIENT_ID and ${name}_CLIENT_SECRET must be given together`,
    );
  });
});
