import { CALDAV_FLAVOR, createCalDavProvider, REQUESTS_PER_MINUTE, type CalDavFlavor } from '#providers/caldav';
import { ConnectBody, defineProvider, LoginField, SecretField } from '#providers/kit/definition';
import { root } from '#platform/settings';

/** Entry point of iCloud calendars. Accounts live on partitions, `p<digits>-caldav.icloud.com`. */
export const ICLOUD_ROOT = 'https://caldav.icloud.com/';

const ICLOUD_HOST = /^(?:p\d{1,5}-)?caldav\.icloud\.com$/;

/** @param root configured service root. The domain of a root other than iCloud's may see the password, too. */
export function appleFlavor(root: string): CalDavFlavor {
  const { origin, href } = new URL(root);
  const isIcloud = origin === new URL(ICLOUD_ROOT).origin;
  return {
    type: 'APPLE',
    fixedRoot: href,
    parallelRequests: 2,
    // Apple shows it as `xxxx-xxxx-xxxx-xxxx`. Users copy blanks with it.
    preparePassword: (password) => password.replaceAll(/\s/gu, ''),
    mayAdopt(candidate, given) {
      if (candidate.protocol === 'https:' && candidate.port === '' && ICLOUD_HOST.test(candidate.hostname)) return true;
      return !isIcloud && CALDAV_FLAVOR.mayAdopt(candidate, given);
    },
    messages: {
      rejected:
        'Apple did not accept the login. Use an app-specific password (made at account.apple.com, of the form xxxx-xxxx-xxxx-xxxx), not the password of the Apple Account; changing that password revokes all app-specific ones.',
      unreachable: 'The calendar server of iCloud could not be reached. Try again in a few minutes.',
    },
  };
}

export class ConnectApple extends ConnectBody {
  @LoginField({ description: 'Email of the Apple account.', example: 'ada@icloud.com' })
  override email!: string;

  @SecretField({
    description: 'App-specific password, made at account.apple.com; not the password of the account itself.',
    example: 'abcd-efgh-ijkl-mnop',
  })
  override password!: string;
}

export const APPLE = defineProvider({
  type: 'APPLE',
  slug: 'apple',
  label: 'Apple iCloud',
  icon:
    'M12.2 6.9c-1 0-2.4-1.1-4-1-2 0-3.9 1.2-5 3-2.1 3.7-.5 9.1 1.6 12.1 1 1.4 2.2 3.1 3.8 3 1.5-.1 2.1-1 3.9-1s2.4 1 4 .9c1.6 ' +
    '0 2.7-1.5 3.7-2.9 1.1-1.7 1.6-3.3 1.6-3.4 0 0-3.2-1.2-3.2-4.9 0-3 2.5-4.5 2.6-4.5-1.5-2.1-3.6-2.3-4.4-2.4-2-.2-3.7 ' +
    '1.1-4.6 1.1zM15.5 3.8c.9-1 1.4-2.4 1.3-3.8-1.2.1-2.7.8-3.6 1.8-.8.9-1.4 2.3-1.2 3.7 1.3.1 2.7-.7 3.5-1.7z',
  authentication: 'password',
  settings: {
    caldavUrl: root('APPLE_CALDAV_URL', {
      description: 'Root of the CalDAV service of APPLE accounts. Its origin is trusted as configured.',
      fallback: 'https://caldav.icloud.com',
    }),
    requestsPerMinute: REQUESTS_PER_MINUTE,
  },
  trustedOrigins: ({ caldavUrl }) => [caldavUrl],
  connect: {
    body: ConnectApple,
    summary: 'Connect an Apple account with an app-specific password.',
    namesServer: false,
    form: {
      helpUrl: 'https://account.apple.com/account/manage',
      texts: {
        en: {
          labels: { email: 'Email of your Apple Account', password: 'App-specific password' },
          steps: [
            'Open account.apple.com and sign in.',
            'Under “Sign-In and Security”, choose “App-Specific Passwords”. Your Apple Account needs two-factor authentication.',
            'Make a password, and enter it here. It has the form abcd-efgh-ijkl-mnop.',
          ],
        },
        de: {
          labels: { email: 'E-Mail-Adresse Ihres Apple Accounts', password: 'App-spezifisches Passwort' },
          steps: [
            'Öffnen Sie account.apple.com und melden Sie sich an.',
            'Wählen Sie unter „Anmeldung und Sicherheit“ den Punkt „App-spezifische Passwörter“. Ihr Apple Account braucht dafür die Zwei-Faktor-Authentifizierung.',
            'Erstellen Sie ein Passwort und geben Sie es hier ein. Es hat die Form abcd-efgh-ijkl-mnop.',
          ],
        },
      },
    },
  },
  create: (deps, { caldavUrl, requestsPerMinute }) =>
    createCalDavProvider({ ...deps, requestsPerMinute }, appleFlavor(caldavUrl)),
});
