import { createHash } from 'node:crypto';
import { WINDOWS_ZONE_NAMES } from '../../time-zones.js';
import { GraphRefusal, type GraphAnswer, type MicrosoftUser } from '../contract.js';
import { mailOf } from '../users.js';
import type { Call } from './call.js';
import { itemId, mailboxKeyOf, parseItemId, type IdForm } from './ids.js';
import type { Row } from './odata-options.js';
import { invalidRequest, noMailbox } from './refusals.js';
import type { Store } from './store.js';

const FORMS: Readonly<Record<string, IdForm>> = { restId: 'ordinary', restImmutableEntryId: 'immutable' };

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

/** https://learn.microsoft.com/graph/api/outlookuser-supportedtimezones */
export function supportedTimeZones(): GraphAnswer {
  return { status: 200, body: { value: WINDOWS_ZONE_NAMES.map((alias) => ({ alias, displayName: alias })) } };
}

/** https://learn.microsoft.com/graph/api/user-translateexchangeids, between the two forms that REST has. */
export function translateIds(store: Store, { user, body }: Call): GraphAnswer {
  const { inputIds, sourceIdType, targetIdType } = body as {
    inputIds: string[];
    sourceIdType: string;
    targetIdType: string;
  };
  const target = FORMS[targetIdType];
  if (FORMS[sourceIdType] === undefined || target === undefined) {
    throw invalidRequest('The sandbox translates between restId and restImmutableEntryId only.');
  }
  const value = inputIds.map((sourceId) => {
    try {
      const name = parseItemId(sourceId);
      const { calendarKey } = store.presentEvent(name.key);
      const isOwn = store.calendar(calendarKey)?.mailboxKey === mailboxKeyOf(user);
      if (isOwn) return { sourceId, targetId: itemId(name, target) };
    } catch (error) {
      if (!(error instanceof GraphRefusal)) throw error;
    }
    return {
      sourceId,
      errorDetails: { code: 'ErrorItemNotFound', message: 'The id does not belong to this mailbox.' },
    };
  });
  return { status: 200, body: { value } };
}
