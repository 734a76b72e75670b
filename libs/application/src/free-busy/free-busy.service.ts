import { Injectable } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import type { FreeBusyOutcome } from '#domain/providers';
import { DomainError, invalid } from '#domain/system';
import { AccountAccess } from '../accounts/account-access.js';
import { readBoundedWindow } from '../events/event-query.js';
import { showInstant } from '../events/show-time.js';
import { readTimeZone } from '../events/iso-time.js';

export interface FreeBusyBody {
  startDateTime: string;
  endDateTime: string;
  timeZone: string;
  calendarIds: string[];
  /** Reports the error of an unreadable calendar in its element instead of failing the request. */
  allowPartial?: boolean;
}

export interface FreeBusyElement {
  calendarId: string;
  busySlots?: { start: ZonedDateTime; end: ZonedDateTime }[];
  error?: { code: string; message: string };
}

interface ZonedDateTime {
  dateTime: string;
  timeZone: string;
}

const MAX_CALENDARS = 100;
const DAY_MS = 86_400_000;
/** Limit of calendars times days per request: a hundred calendars over a year. */
const MAX_CALENDAR_DAYS = 36_600;

/** Busy time of calendars, section 4.5 of the interface specification. */
@Injectable()
export class FreeBusyService {
  constructor(private readonly access: AccountAccess) {}

  /** @throws DomainError ValidationFailed, NotFound, EndUserAccountExpired, the error of the first failing calendar */
  async query(
    application: ApplicationRef,
    accountId: string,
    body: FreeBusyBody,
    signal: AbortSignal,
  ): Promise<FreeBusyElement[]> {
    await this.access.getActive(application, accountId);
    const timeZone = readTimeZone('timeZone', body.timeZone);
    const window = readBoundedWindow(body, timeZone);
    if (body.calendarIds.length === 0 || body.calendarIds.length > MAX_CALENDARS) {
      throw invalid('calendarIds', `must name 1 to ${MAX_CALENDARS} calendars`);
    }
    assertAffordable(body.calendarIds.length, Math.ceil((window.endMs - window.startMs) / DAY_MS));
    const outcomes = await this.access.use(application, accountId, signal, ({ provider, session }) =>
      provider.freeBusy(session, { window, timeZone, calendarIds: body.calendarIds }),
    );
    return outcomes.map((outcome) => toElement(outcome, timeZone, body.allowPartial ?? false));
  }
}

function assertAffordable(calendars: number, days: number): void {
  if (calendars * days <= MAX_CALENDAR_DAYS) return;
  throw invalid(
    'endDateTime',
    `asks for ${calendars} calendars over ${days} days; calendars times days may be ${MAX_CALENDAR_DAYS} at the most`,
  );
}

function toElement(outcome: FreeBusyOutcome, timeZone: string, allowPartial: boolean): FreeBusyElement {
  if ('busySlots' in outcome) {
    return {
      calendarId: outcome.calendarId,
      busySlots: outcome.busySlots.map(({ startMs, endMs }) => ({
        start: showInstant(startMs, timeZone),
        end: showInstant(endMs, timeZone),
      })),
    };
  }
  const { code, message, provider, retryAfterSeconds } = outcome.error;
  const named = `Calendar ${outcome.calendarId}: ${message}`;
  if (allowPartial) return { calendarId: outcome.calendarId, error: { code, message: named } };
  throw new DomainError(code, named, { provider, retryAfterSeconds, cause: outcome.error });
}
