import { CALDAV_FLAVOR, type CalDavFlavor } from '#providers/caldav';

/** Where iCloud's calendars are found. Accounts live on partitions, `p<digits>-caldav.icloud.com`. */
export const ICLOUD_ROOT = 'https://caldav.icloud.com/';

const ICLOUD_HOST = /^(?:p\d{1,5}-)?caldav\.icloud\.com$/;

/**
 * iCloud as a member of the CalDAV family: one root, a list of hosts that may see the password, two
 * requests at a time, and words of its own.
 * @param root of the service, by configuration; with another one than iCloud's, its own domain may see the password too
 */
export function appleFlavor(root: string): CalDavFlavor {
  const { origin, href } = new URL(root);
  const isIcloud = origin === new URL(ICLOUD_ROOT).origin;
  return {
    type: 'APPLE',
    fixedRoot: href,
    parallelRequests: 2,
    // Shown as `xxxx-xxxx-xxxx-xxxx`, copied with blanks around and inside.
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
