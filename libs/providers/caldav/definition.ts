import { AddressField, ConnectBody, defineProvider, LoginField, SecretField } from '#providers/kit/definition';
import { integer } from '#platform/settings';
import { createCalDavProvider, REQUESTS_PER_MINUTE } from './index.js';

export class ConnectCalDav extends ConnectBody {
  @AddressField({
    description:
      'Address of the server: https, public, the scheme may be left out. Its base address is enough: calendars are\n' +
      'discovered (RFC 6764).',
    example: 'dav.example.com',
  })
  override serverUrl!: string;

  @LoginField({ description: 'Login at the server, which may be a plain user name.', example: 'ada' })
  override email!: string;

  @SecretField({
    description: 'Password at the server; most hosted providers want an app-specific one.',
    example: 'correct horse battery staple',
  })
  override password!: string;
}

export const CALDAV = defineProvider({
  type: 'CALDAV',
  slug: 'caldav',
  label: 'CalDAV',
  icon: 'M7 2v2H4a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h16a2 2 0 0 0 2-2V6a2 2 0 0 0-2-2h-3V2h-2v2H9V2zM4 10h16v10H4z',
  authentication: 'password',
  settings: {
    requestsPerMinute: REQUESTS_PER_MINUTE,
    backgroundRequestsPerMinute: integer('CALDAV_BACKGROUND_REQUESTS_PER_MINUTE', {
      description:
        'Requests toward one CalDAV server by reads of unchanged calendars, over all accounts. With more calendars ' +
        'each is read less often, at least every 15 minutes.',
      fallback: 600,
      min: 1,
      max: 1_000_000,
    }),
  },
  trustedOrigins: () => [],
  connect: {
    body: ConnectCalDav,
    summary: "Connect an account at a CalDAV server. Its calendars are discovered from the server's address.",
    namesServer: true,
    form: {
      texts: {
        en: {
          labels: { serverUrl: 'Address of the server', email: 'User name or email', password: 'Password' },
          steps: [
            'The address is the one that your calendar provider names for CalDAV, such as dav.example.com.',
            'Many providers want an app-specific password in place of your own. You make it in their settings.',
          ],
        },
        de: {
          labels: { serverUrl: 'Adresse des Servers', email: 'Benutzername oder E-Mail-Adresse', password: 'Passwort' },
          steps: [
            'Die Adresse nennt Ihr Kalenderanbieter für CalDAV, zum Beispiel dav.example.com.',
            'Viele Anbieter verlangen ein App-Passwort anstelle Ihres eigenen. Sie erstellen es in deren Einstellungen.',
          ],
        },
      },
    },
  },
  create: (deps, settings) => createCalDavProvider({ ...deps, ...settings }),
});
