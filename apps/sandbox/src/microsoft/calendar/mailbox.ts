import { createHash } from 'node:crypto';
import { instantOn } from '../../time-zones.js';
import { GraphErrorResponse, type Call, type GraphResponse, type GraphHost, type MicrosoftUser } from '../contract.js';
import { mailOf } from '../users.js';
import { DAY_MS, wallOf, zoneOf, type DateTimeTimeZone } from './clock-time.js';
import { mailboxKeyOf } from './ids.js';
import type { Row } from './odata-options.js';
import { accessDenied, invalidRequest, noMailbox, notOffered } from './errors.js';
import type { Store } from './store.js';

const MAX_DAYS = 62;

/** https://learn.microsoft.com/graph/api/user-get */
export function me({ user }: Call): GraphResponse {
  const [givenName = '', ...others] = user.displayName.split(' ');
  // Graph gives personal accounts another id than their tokens.
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
export function mailboxSettings({ user }: Call): GraphResponse {
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

function workingHours({ mailboxTimeZone }: MicrosoftUser): Row {
  return {
    daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
    startTime: '08:00:00.0000000',
    endTime: '17:00:00.0000000',
    timeZone: { '@odata.type': '#microsoft.graph.timeZoneBase', name: mailboxTimeZone },
  };
}

/** Working hours of others (https://learn.microsoft.com/graph/api/calendar-getschedule), without busy times. */
export class Schedules {
  constructor(
    private readonly store: Store,
    private readonly host: Pick<GraphHost, 'findUser'>,
  ) {}

  read({ user, body }: Call): GraphResponse {
    if (user.kind === 'personal') throw accessDenied();
    const { schedules, startTime, endTime, availabilityViewInterval } = body as {
      schedules: string[];
      startTime: DateTimeTimeZone;
      endTime: DateTimeTimeZone;
      availabilityViewInterval?: number;
    };
    if (availabilityViewInterval !== undefined) throw notOffered('views of availability');
    checkWindow(instantOf(startTime), instantOf(endTime));
    const value = schedules.map((scheduleId) => {
      const found = this.host.findUser(scheduleId);
      return found === undefined || this.store.mailboxes.get(mailboxKeyOf(found)) === undefined
        ? { scheduleId, error: { message: 'Proxy web request failed.', responseCode: '5016' } }
        : { scheduleId, workingHours: workingHours(found) };
    });
    return { status: 200, body: { value } };
  }
}

function instantOf(time: DateTimeTimeZone): number {
  return instantOn(zoneOf(time.timeZone), wallOf(time));
}

function checkWindow(startMs: number, endMs: number): void {
  if (endMs <= startMs) throw invalidRequest('The end of the time window is not after its start.');
  if (endMs - startMs > MAX_DAYS * DAY_MS) {
    throw new GraphErrorResponse(400, 'ErrorTimeIntervalTooBig', `The time window is longer than ${MAX_DAYS} days.`);
  }
}
