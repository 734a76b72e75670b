import type { calendar_v3 } from '@googleapis/calendar';
import type { CalendarApiResponse, CalendarApiHost, CalendarApiRequest } from '../contract.js';
import { requireRole } from './access.js';
import type { CalendarLists } from './calendar-list.js';
import { ALLOWED_CONFERENCES } from './event-conference.js';
import { compact, isOrganizerCopy } from './event-view.js';
import { etagOf } from './ids.js';
import type { Invitations } from './invitations.js';
import type { CalendarRecord, Role } from './model.js';
import { forbidden, notOffered, required } from './errors.js';
import { checkIfMatch, isUnchanged, timeZoneOf } from './request.js';
import type { Store } from './store.js';

type WireCalendar = calendar_v3.Schema$Calendar;

const READ_ONLY = ['id', 'etag', 'dataOwner', 'autoAcceptInvitations'] as const;

/** `calendars`: the same for every user with access. */
export class Calendars {
  constructor(
    private readonly store: Store,
    private readonly host: CalendarApiHost,
    private readonly lists: CalendarLists,
    private readonly invitations: Invitations,
  ) {}

  get(request: CalendarApiRequest): CalendarApiResponse {
    const calendar = this.existing(request, 'freeBusyReader');
    if (isUnchanged(request, etagOf(calendar.revision))) return { status: 304, body: null };
    return viewCalendar(calendar);
  }

  /** Creates a secondary calendar and adds it to its owner's list. */
  insert(request: CalendarApiRequest): CalendarApiResponse {
    const { user } = request;
    const body = this.bodyOf(request);
    const calendar = this.store.addCalendar({
      id: this.store.ids.calendarId(),
      kind: 'secondary',
      dataOwner: user.email,
      summary: summaryOf(body),
      description: body.description ?? undefined,
      location: body.location ?? undefined,
      timeZone: timeZoneOf(body.timeZone, 'UTC'),
      updatedMs: this.host.nowMs(),
    });
    grantOwner(this.store, calendar, user.email);
    this.lists.add(this.store.account(user.email)!, calendar);
    return viewCalendar(calendar);
  }

  patch(request: CalendarApiRequest): CalendarApiResponse {
    const calendar = this.existing(request, 'writer');
    checkIfMatch(request, etagOf(calendar.revision));
    const body = this.bodyOf(request);
    Object.assign(calendar, {
      summary: body.summary === undefined ? calendar.summary : summaryOf(body),
      description: body.description === undefined ? calendar.description : (body.description ?? undefined),
      location: body.location === undefined ? calendar.location : (body.location ?? undefined),
      timeZone: timeZoneOf(body.timeZone, calendar.timeZone),
      revision: this.store.nextRevision(),
      updatedMs: this.host.nowMs(),
    });
    return viewCalendar(calendar);
  }

  delete(request: CalendarApiRequest): CalendarApiResponse {
    const calendar = this.existing(request, 'owner');
    if (calendar.kind !== 'secondary') throw forbidden();
    checkIfMatch(request, etagOf(calendar.revision));
    this.removeEvents(calendar);
    this.store.removeCalendar(calendar);
    return { status: 204, body: null };
  }

  private removeEvents(calendar: CalendarRecord): void {
    for (const record of [...calendar.events.byId.values()]) {
      if (record.life !== 'live' || record.recurringEventId !== null) continue;
      if (isOrganizerCopy(record, calendar)) this.invitations.cancel(calendar, record);
      else this.invitations.removeCopy(calendar, record);
    }
  }

  private existing({ user, path }: CalendarApiRequest, least: Role): CalendarRecord {
    const calendar = this.store.calendarFor(user, path.calendarId!);
    requireRole(calendar, user, least);
    return calendar;
  }

  private bodyOf({ body }: CalendarApiRequest): WireCalendar {
    const calendar: WireCalendar = body ?? {};
    for (const name of READ_ONLY) {
      if (calendar[name] !== undefined) this.host.violation(`calendars: ${name} is read-only`);
    }
    if (calendar.labelProperties != null) throw notOffered('event labels');
    return calendar;
  }
}

export function grantOwner(store: Store, calendar: CalendarRecord, email: string): void {
  const id = `user:${email}`;
  calendar.acl.set(id, { id, scope: { type: 'user', value: email }, role: 'owner', revision: store.nextRevision() });
}

function summaryOf({ summary }: WireCalendar): string {
  if (summary == null || summary === '') throw required('Missing title.');
  return summary;
}

function viewCalendar(calendar: CalendarRecord): CalendarApiResponse {
  const body: WireCalendar = compact({
    kind: 'calendar#calendar',
    etag: etagOf(calendar.revision),
    id: calendar.id,
    summary: calendar.summary,
    description: calendar.description,
    location: calendar.location,
    timeZone: calendar.timeZone,
    dataOwner: calendar.kind === 'secondary' ? (calendar.dataOwner ?? undefined) : undefined,
    conferenceProperties: { allowedConferenceSolutionTypes: ALLOWED_CONFERENCES },
  });
  return { status: 200, body };
}
