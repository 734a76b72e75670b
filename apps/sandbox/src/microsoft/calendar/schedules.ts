import { type Call, GraphRefusal, type GraphAnswer, type GraphHost } from '../contract.js';
import { instantOn } from '../../time-zones.js';
import { DAY_MS, wallOf, zoneOf, type DateTimeTimeZone } from './clock-time.js';
import { mailboxKeyOf } from './ids.js';
import { workingHours } from './mailbox.js';
import { accessDenied, invalidRequest, notOffered } from './refusals.js';
import type { Store } from './store.js';

const LONGEST_DAYS = 62;

/** When others work (https://learn.microsoft.com/graph/api/calendar-getschedule); not when they are busy. */
export class Schedules {
  constructor(
    private readonly store: Store,
    private readonly host: Pick<GraphHost, 'findUser'>,
  ) {}

  read({ user, body }: Call): GraphAnswer {
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
  if (endMs - startMs > LONGEST_DAYS * DAY_MS) {
    throw new GraphRefusal(400, 'ErrorTimeIntervalTooBig', `The time window is longer than ${LONGEST_DAYS} days.`);
  }
}
