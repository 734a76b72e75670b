import { createHash } from 'node:crypto';
import type { Call, GraphAnswer, MicrosoftUser } from '../contract.js';
import { mailOf } from '../users.js';
import type { Row } from './odata-options.js';
import { noMailbox } from './refusals.js';

/** https://learn.microsoft.com/graph/api/user-get */
export function me({ user }: Call): GraphAnswer {
  const [givenName = '', ...others] = user.displayName.split(' ');
  // Personal accounts are known to Graph by another id than the one in their tokens.
  const id = user.kind === 'work' ? user.oid : createHash('sha256').update(user.oid).digest('hex').slice(0, 16);
  return {
    status: 200,
    body: {
      id,
      displayName: user.displayName,
      givenName,
      surname: others.join(' '),
      mail: mailOf(user),
      userPrincipalName: user.userPrincipalName,
      preferredLanguage: null,
      jobTitle: null,
      mobilePhone: null,
      officeLocation: null,
      businessPhones: [],
    },
  };
}

/** https://learn.microsoft.com/graph/api/user-get-mailboxsettings */
export function mailboxSettings({ user }: Call): GraphAnswer {
  if (!user.hasMailbox) throw noMailbox();
  return {
    status: 200,
    body: {
      timeZone: user.mailboxTimeZone,
      dateFormat: 'yyyy-MM-dd',
      timeFormat: 'HH:mm',
      language: { locale: 'en-US', displayName: 'English (United States)' },
      userPurpose: 'user',
      workingHours: workingHours(user),
    },
  };
}

export function workingHours({ mailboxTimeZone }: MicrosoftUser): Row {
  return {
    daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
    startTime: '08:00:00.0000000',
    endTime: '17:00:00.0000000',
    timeZone: { '@odata.type': '#microsoft.graph.timeZoneBase', name: mailboxTimeZone },
  };
}
