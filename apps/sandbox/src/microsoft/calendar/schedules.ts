import { GraphRefusal, type GraphAnswer, type GraphHost, type MicrosoftUser } from '../contract.js';
import type { Call } from './call.js';
import { instantOn } from '../../time-zones.js';
import { DAY_MS, MINUTE_MS, wallOf, zoneOf, type DateTimeTimeZone } from './clock-time.js';
import { locationOf, timeJson, wordingOf } from './event-view.js';
import { mailboxKeyOf } from './ids.js';
import { workingHours } from './mailbox.js';
import type { Row } from './odata-options.js';
import { accessDenied, invalidRequest } from './refusals.js';
import { itemsIn, type Window } from './series.js';
import type { Store } from './store.js';

interface Busy extends Window {
  status: string;
  row: Row;
}

const LONGEST_DAYS = 62;
const USUAL_INTERVAL = 30;
/** https://learn.microsoft.com/graph/api/resources/scheduleinformation */
const DIGITS: Readonly<Record<string, number>> = { tentative: 1, busy: 2, oof: 3, unknown: 2 };

/** When others are busy (https://learn.microsoft.com/graph/api/calendar-getschedule). */
export class Schedules {
  constructor(
    private readonly store: Store,
    private readonly host: Pick<GraphHost, 'findUser'>,
  ) {}

  read({ user, body, prefer }: Call): GraphAnswer {
    if (user.kind === 'personal') throw accessDenied();
    const { schedules, startTime, endTime, availabilityViewInterval } = body as {
      schedules: string[];
      startTime: DateTimeTimeZone;
      endTime: DateTimeTimeZone;
      availabilityViewInterval?: number;
    };
    const intervalMs = (availabilityViewInterval ?? USUAL_INTERVAL) * MINUTE_MS;
    const window = { startMs: instantOf(startTime), endMs: instantOf(endTime) };
    checkWindow(window, intervalMs);
    const { timeZone } = wordingOf(prefer);
    const value = schedules.map((scheduleId) => {
      const found = this.host.findUser(scheduleId);
      if (found === undefined || this.store.mailbox(mailboxKeyOf(found)) === undefined)
        return unknownSchedule(scheduleId);
      const items = this.busy(found, window, startTime.timeZone, timeZone);
      return {
        scheduleId,
        availabilityView: availabilityOf(items, window, intervalMs),
        scheduleItems: items.map(({ row }) => row),
        workingHours: workingHours(found),
      };
    });
    return { status: 200, body: { value } };
  }

  /** @param dayZone where all-day events are lived */
  private busy(user: MicrosoftUser, window: Window, dayZone: string, timeZone: string): Busy[] {
    const wide = { startMs: window.startMs - DAY_MS, endMs: window.endMs + DAY_MS };
    const zone = zoneOf(dayZone);
    return this.store
      .eventsOf(this.store.defaultCalendar(mailboxKeyOf(user)).key)
      .flatMap((record) => itemsIn(record, wide))
      .filter(({ content }) => !content.isCancelled)
      .map(({ content }) => {
        const { isAllDay, startMs, endMs } = content.times;
        const [from, to] = isAllDay ? [instantOn(zone, startMs), instantOn(zone, endMs)] : [startMs, endMs];
        const row = {
          status: content.showAs,
          isPrivate: content.sensitivity === 'private',
          subject: content.subject,
          location: locationOf(content.locations)['displayName'],
          start: timeJson(from, false, timeZone),
          end: timeJson(to, false, timeZone),
        };
        return { startMs: from, endMs: to, status: content.showAs, row };
      })
      .filter(({ startMs, endMs }) => startMs < window.endMs && endMs > window.startMs)
      .sort((one, other) => one.startMs - other.startMs);
  }
}

/** One digit for each interval: the busiest of what takes place in it. */
function availabilityOf(items: readonly Busy[], { startMs, endMs }: Window, intervalMs: number): string {
  let view = '';
  for (let from = startMs; from < endMs; from += intervalMs) {
    const within = items.filter((item) => item.startMs < Math.min(from + intervalMs, endMs) && item.endMs > from);
    view += String(Math.max(0, ...within.map(({ status }) => DIGITS[status] ?? 0)));
  }
  return view;
}

function instantOf(time: DateTimeTimeZone): number {
  return instantOn(zoneOf(time.timeZone), wallOf(time));
}

function checkWindow({ startMs, endMs }: Window, intervalMs: number): void {
  if (endMs <= startMs) throw invalidRequest('The end of the time window is not after its start.');
  if (endMs - startMs > LONGEST_DAYS * DAY_MS) {
    throw new GraphRefusal(400, 'ErrorTimeIntervalTooBig', `The time window is longer than ${LONGEST_DAYS} days.`);
  }
  if (intervalMs > endMs - startMs) {
    throw new GraphRefusal(400, 'ErrorInvalidMergedFreeBusyInterval', 'The interval is longer than the time window.');
  }
}

function unknownSchedule(scheduleId: string): Row {
  const error = { message: 'Proxy web request failed.', responseCode: '5016' };
  return { scheduleId, availabilityView: '', scheduleItems: null, error };
}
