import { isDeepStrictEqual } from 'node:util';
import type { CalendarApiResponse, CalendarApiHost, CalendarApiRequest } from '../contract.js';
import { requireRole } from './access.js';
import { type ContentContext, type EventContent, readContent } from './event-content.js';
import { draftOf, recordIgnoredFields, patchedDraft } from './event-draft.js';
import { eventsWithUid, exceptionsOf } from './event-shelf.js';
import type { PendingConferences } from './pending-conferences.js';
import { isOrganizerCopy, viewEvent } from './event-view.js';
import { respondedBy, changesEvent } from './guest-changes.js';
import { etagOf } from './ids.js';
import { Invitations } from './invitations.js';
import type { CalendarRecord, EventRecord, Person, Role, WireEvent } from './model.js';
import { isSamePattern } from './recurrence.js';
import { alreadyDeleted, duplicate, eventTypeRestriction, invalid, notFound, notOffered } from './errors.js';
import { checkIfMatch, numberParameter, flagParameter } from './request.js';
import { putSeries } from './series.js';
import { findEvent, masterOf } from './stored-events.js';
import type { Store } from './store.js';

const EVENT_ID = /^[a-v0-9]{5,1024}$/;
/** From the most open to the most closed. */
const STRICTNESS: Readonly<Record<string, number>> = { public: 0, default: 1, private: 2, confidential: 2 };

interface Target {
  calendar: CalendarRecord;
  role: Role;
}

export class EventWriter {
  constructor(
    private readonly store: Store,
    private readonly host: CalendarApiHost,
    private readonly invitations: Invitations,
    private readonly conferences: PendingConferences,
  ) {}

  insert(request: CalendarApiRequest): CalendarApiResponse {
    const target = this.writable(request);
    const { calendar } = target;
    const body = bodyOf(request);
    recordIgnoredFields(body, 'insert', this.violation);
    if (body.id != null && !EVENT_ID.test(body.id)) throw invalid('Invalid resource id value.');
    const id = body.id ?? this.store.ids.eventId();
    const iCalUID = body.iCalUID ?? `${id}@google.com`;
    const isTaken = eventsWithUid(calendar.events, iCalUID).some(({ life }) => life === 'live');
    if (calendar.events.byId.get(id) !== undefined || isTaken) throw duplicate();
    const content = this.contentOf(request, target, draftOf(body), null, 'replace');
    const record = this.newRecord(request, calendar, id, iCalUID, content);
    return this.answer(request, target, this.organize(calendar, record, null));
  }

  /** Imports a private copy of an external event; replaces an existing one with the same iCalUID. */
  import(request: CalendarApiRequest): CalendarApiResponse {
    const target = this.writable(request);
    const { calendar } = target;
    const body = bodyOf(request);
    recordIgnoredFields(body, 'import', this.violation);
    if ((body.eventType ?? 'default') !== 'default')
      this.violation('events.import: only default events may be imported');
    const draft = { ...draftOf(body), eventType: 'default' };
    const known = eventsWithUid(calendar.events, body.iCalUID!).find(
      ({ recurringEventId }) => recurringEventId === null,
    );
    const content = this.contentOf(request, target, draft, known ?? null, 'replace');
    const id = known?.id ?? this.store.ids.eventId();
    const record = this.newRecord(request, calendar, id, body.iCalUID!, content);
    const { email, displayName } = body.organizer ?? {};
    const organizer = email == null ? record.organizer : personOf(email, displayName);
    const creator = email == null ? record.creator : organizer;
    const kept = known === undefined ? {} : { createdMs: known.createdMs, former: known.former };
    const copy = { ...record, ...kept, organizer, creator };
    return this.answer(request, target, putSeries(this.store, calendar, copy, this.host.nowMs()));
  }

  patch(request: CalendarApiRequest): CalendarApiResponse {
    const body = bodyOf(request);
    recordIgnoredFields(body, 'patch', this.violation);
    const target = this.writable(request);
    const { calendar } = target;
    const record = this.existing(request, calendar);
    checkIfMatch(request, etagOf(record.revision));
    const isCancelling = body.status === 'cancelled';
    if (record.life !== 'live' && !this.isRestored(calendar, record, body)) throw alreadyDeleted();
    if (isCancelling) {
      this.remove(calendar, record);
      return this.answer(request, target, this.existing(request, calendar));
    }
    if (body.eventType !== undefined) throw eventTypeRestriction('The type of an event cannot be changed.');

    const isReply = body.attendeesOmitted === true;
    const written = isReply ? { ...body, attendees: undefined } : body;
    const draft = patchedDraft(record, written, request.user.email);
    const read = this.contentOf(request, target, draft, record, 'patch');
    const content = isReply ? { ...read, attendees: respondedBy(calendar, record, body, this.violation) } : read;
    const next = this.nextRecord(record, content);
    if (isOrganizerCopy(record, calendar)) {
      return this.answer(
        request,
        target,
        this.organize(calendar, this.withSeriesVisibility(calendar, record, next), record),
      );
    }
    return this.answer(request, target, this.invitations.putCopy(calendar, next, changesEvent(calendar, record, next)));
  }

  delete(request: CalendarApiRequest): CalendarApiResponse {
    const target = this.writable(request);
    const record = this.existing(request, target.calendar);
    checkIfMatch(request, etagOf(record.revision));
    if (record.life !== 'live') throw alreadyDeleted();
    this.remove(target.calendar, record);
    return { status: 204, body: null };
  }

  private nextRecord(record: EventRecord, content: EventContent): EventRecord {
    const { start, end, recurrence } = content.pattern;
    const next = {
      ...record,
      start,
      end,
      recurrence,
      attendees: content.attendees,
      shared: content.shared,
      own: content.own,
    };
    const isMoved = !isSamePattern(record, next);
    return {
      ...next,
      life: 'live',
      isRemovedByGuest: false,
      sequence: Math.max(content.sequence ?? 0, record.sequence + (isMoved ? 1 : 0)),
      // Reminders are private and do not change `updated` (events reference, `reminders`).
      updatedMs: isBesidesReminders(record, next) || record.life !== 'live' ? this.host.nowMs() : record.updatedMs,
    };
  }

  private organize(
    calendar: CalendarRecord,
    record: Omit<EventRecord, 'revision'>,
    previous: EventRecord | null,
  ): EventRecord {
    const written = this.invitations.put(calendar, record, previous);
    this.conferences.watch(calendar, written);
    return written;
  }

  private remove(calendar: CalendarRecord, record: EventRecord): void {
    if (isOrganizerCopy(record, calendar)) this.invitations.cancel(calendar, record);
    else this.invitations.removeCopy(calendar, record);
  }

  /** True when a write restores a deleted event. An instance needs a live series. */
  private isRestored(calendar: CalendarRecord, record: EventRecord, { status }: WireEvent): boolean {
    const master = masterOf(calendar, record);
    return (status === 'confirmed' || status === 'tentative') && (master === null || master.life === 'live');
  }

  /** A stricter visibility of one instance applies to the series; a more open one is ignored (events reference). */
  private withSeriesVisibility(calendar: CalendarRecord, record: EventRecord, next: EventRecord): EventRecord {
    const master = masterOf(calendar, record);
    const { visibility } = next.own;
    if (master === null || visibility === record.own.visibility) return next;
    if (STRICTNESS[visibility]! <= STRICTNESS[record.own.visibility]!) {
      return { ...next, own: { ...next.own, visibility: record.own.visibility } };
    }
    for (const part of [master, ...exceptionsOf(calendar.events, master.id)]) {
      if (part.id === record.id || part.life !== 'live') continue;
      this.store.putEvent(calendar, { ...part, own: { ...part.own, visibility }, updatedMs: this.host.nowMs() });
    }
    return next;
  }

  private contentOf(
    request: CalendarApiRequest,
    { calendar }: Target,
    draft: WireEvent,
    base: EventRecord | null,
    mode: ContentContext['mode'],
  ): EventContent {
    if (numberParameter(request, 'eventLabelVersion') === 1) throw notOffered('event labels');
    return readContent(draft, {
      calendar,
      user: request.user,
      base,
      mode,
      conferenceData: bodyOf(request).conferenceData,
      conferenceDataVersion: numberParameter(request, 'conferenceDataVersion') ?? 0,
      supportsAttachments: flagParameter(request, 'supportsAttachments') ?? false,
      nowMs: this.host.nowMs(),
      behaviour: this.conferences.behaviour,
      meetingCode: () => this.store.ids.meetingCode(),
      violation: this.violation,
    });
  }

  private newRecord(
    { user }: CalendarApiRequest,
    calendar: CalendarRecord,
    id: string,
    iCalUID: string,
    content: EventContent,
  ): Omit<EventRecord, 'revision'> {
    const nowMs = this.host.nowMs();
    return {
      id,
      iCalUID,
      recurringEventId: null,
      originalStart: null,
      life: 'live',
      isRemovedByGuest: false,
      createdMs: nowMs,
      updatedMs: nowMs,
      sequence: content.sequence ?? 0,
      creator: { email: user.email },
      organizer: organizerOf(calendar),
      ...content.pattern,
      attendees: content.attendees,
      shared: content.shared,
      own: content.own,
      former: [],
    };
  }

  private writable(request: CalendarApiRequest): Target {
    for (const name of ['sendNotifications', 'alwaysIncludeEmail']) {
      if (request.query[name] !== undefined) this.violation(`${name} is deprecated`);
    }
    if (request.query.maxAttendees !== undefined) throw notOffered('writes of events with maxAttendees');
    const calendar = this.store.calendarFor(request.user, request.path.calendarId!);
    return { calendar, role: requireRole(calendar, request.user, 'writerWithoutPrivateAccess') };
  }

  private existing({ path }: CalendarApiRequest, calendar: CalendarRecord): EventRecord {
    const record = findEvent(calendar, path.eventId!);
    if (record === null) throw notFound();
    return record;
  }

  private answer(request: CalendarApiRequest, { calendar, role }: Target, record: EventRecord): CalendarApiResponse {
    const viewer = { calendar, user: request.user, role, timeZone: calendar.timeZone };
    return { status: 200, body: viewEvent(record, viewer) };
  }

  private readonly violation = (message: string): void => this.host.violation(message);
}

function bodyOf({ body }: CalendarApiRequest): WireEvent {
  return body ?? {};
}

/** The organizer is the user of a primary calendar, or a secondary calendar itself. */
function organizerOf({ kind, id, summary }: CalendarRecord): Person {
  return kind === 'primary' ? { email: id } : { email: id, displayName: summary };
}

function personOf(email: string, displayName: string | null | undefined): Person {
  return displayName == null ? { email } : { email, displayName };
}

function isBesidesReminders(record: EventRecord, next: EventRecord): boolean {
  const rest = ({ start, end, recurrence, attendees, shared, own }: EventRecord) => ({
    start,
    end,
    recurrence,
    attendees,
    shared,
    own: { ...own, reminders: null },
  });
  return !isDeepStrictEqual(rest(record), rest(next));
}
