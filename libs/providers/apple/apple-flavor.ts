import { CALDAV_FLAVOR, type CalDavFlavor } from '#providers/caldav';

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
