import type { ProviderType } from '#domain/accounts';
import { ConfiguredOAuthClients } from './shared-oauth-clients.js';
import type { SharedClientSettings } from '../system/settings.js';

type Settings = Record<ProviderType, SharedClientSettings>;

const GOOGLE = { GOOGLE: { clientId: 'id', clientSecret: 'secret' } };
const MICROSOFT = { MICROSOFT: { clientId: 'ms-id', clientSecret: 'ms-secret' } };

describe('ConfiguredOAuthClients', () => {
  it.each<[Settings, ProviderType[]]>([
    [{}, []],
    [GOOGLE, ['GOOGLE']],
    [MICROSOFT, ['MICROSOFT']],
    [{ ...GOOGLE, ...MICROSOFT }, ['GOOGLE', 'MICROSOFT']],
    [{ MICROSOFT: { tenant: 'common', scopes: 'openid' } }, []],
  ])('has the clients of %j, and no other ones', (settings, expected) => {
    const clients = new ConfiguredOAuthClients(settings);
    const all: ProviderType[] = ['GOOGLE', 'MICROSOFT', 'APPLE', 'CALDAV'];
    expect(all.filter((providerType) => clients.for(providerType) !== null)).toEqual(expected);
  });

  it('gives each its own settings, and a tenant to those of MICROSOFT', () => {
    const clients = new ConfiguredOAuthClients({
      GOOGLE: { ...GOOGLE.GOOGLE, scopes: 'calendar' },
      MICROSOFT: { ...MICROSOFT.MICROSOFT, scopes: 'Calendars.Read', tenant: 'organizations' },
    });
    expect(clients.for('GOOGLE')).toEqual({
      ...{ clientId: 'id', clientSecret: 'secret', scopes: ['calendar'], tenant: null, expiresAt: null },
    });
    expect(clients.for('MICROSOFT')).toEqual({
      ...{ clientId: 'ms-id', clientSecret: 'ms-secret', scopes: ['Calendars.Read'], tenant: 'organizations' },
      expiresAt: null,
    });
    expect(new ConfiguredOAuthClients(MICROSOFT).for('MICROSOFT')).toMatchObject({ scopes: null, tenant: null });
  });

  it('knows when a secret ends, and does not start with a date that is none', () => {
    const dated = (expiresAt: string) => new ConfiguredOAuthClients({ GOOGLE: { ...GOOGLE.GOOGLE, expiresAt } });
    expect(dated('2027-05-31').for('GOOGLE')).toMatchObject({ expiresAt: new Date('2027-05-31T00:00:00Z') });
    expect(() => dated('next year')).toThrow('GOOGLE_CLIENT_SECRET_EXPIRES_AT must be an ISO 8601 date or instant');
  });

  it.each([
    ['openid email  calendar\n', ['openid', 'email', 'calendar']],
    [' ', null],
    ['', null],
  ])('reads the scopes of %j', (written, scopes) => {
    const clients = new ConfiguredOAuthClients({ GOOGLE: { ...GOOGLE.GOOGLE, scopes: written } });
    expect(clients.for('GOOGLE')?.scopes).toEqual(scopes);
  });

  it.each<[string, Settings]>([
    ['GOOGLE', { GOOGLE: { clientId: 'same' } }],
    ['GOOGLE', { GOOGLE: { clientSecret: 'secret' }, ...MICROSOFT }],
    ['MICROSOFT', { MICROSOFT: { clientId: 'id' }, ...GOOGLE }],
    ['MICROSOFT', { MICROSOFT: { clientSecret: 'secret' } }],
  ])('refuses half of a client of %s', (name, settings) => {
    expect(() => new ConfiguredOAuthClients(settings)).toThrow(
      `${name}_CLIENT_ID and ${name}_CLIENT_SECRET must be given together`,
    );
  });
});
