import { isDeepStrictEqual } from 'node:util';
import type { CalendarApiHost } from '../contract.js';
import { eventsWithUid, exceptionsOf } from './event-shelf.js';
import { isOrganizerCopy, isSelf, selfOf } from './event-view.js';
import type { Attendee, CalendarRecord, EventRecord, OwnFields } from './model.js';
import { suffixOf } from './recurrence.js';
import { deleteSeries, putSeries } from './series.js';
import { findEvent, masterOf } from './stored-events.js';
import type { Store } from './store.js';

/** With more guests the organizer sees no replies (events reference, `attendees`). */
const MAX_GUESTS_NOTIFIED = 200;

/** Delivers invitations to calendars of guests, and their replies back. */
export class Invitations {
  constructor(
    private readonly store: Store,
    private readonly host: CalendarApiHost,
  ) {}

  /**
   * Writes an event on the organizer's calendar and updates the copies of all guests.
   * @param previous null for a new event
   * @param respondedBy calendar of the replying guest, which is up to date
   */
  put(
    calendar: CalendarRecord,
    record: Omit<EventRecord, 'revision'>,
    previous: EventRecord | null,
    respondedBy?: CalendarRecord,
  ): EventRecord {
    const written = this.write(calendar, record);
    if (written.own.privateCopy) return written;
    this.tell(written, previous, respondedBy);
    if (written.recurrence !== null && previous !== null) this.inviteToExceptions(calendar, written, previous);
    return written;
  }

  /** Deletes an event of its organizer; an instance becomes a cancelled one. */
  cancel(calendar: CalendarRecord, record: EventRecord): void {
    const nowMs = this.host.nowMs();
    const cancelled: EventRecord = { ...record, sequence: record.sequence + 1, updatedMs: nowMs };
    if (masterOf(calendar, record) !== null) this.store.putEvent(calendar, { ...cancelled, life: 'cancelled' });
    else deleteSeries(this.store, calendar, cancelled, nowMs);
    for (const guest of this.guestsOf(record)) this.uninvite(guest, record);
  }

  /** Removes a guest's copy, which counts as declining. */
  removeCopy(calendar: CalendarRecord, record: EventRecord): void {
    const nowMs = this.host.nowMs();
    const declined = withResponse(record.attendees, calendar, { responseStatus: 'declined' });
    const removed: EventRecord = { ...record, attendees: declined, isRemovedByGuest: true, updatedMs: nowMs };
    if (masterOf(calendar, record) !== null) this.store.putEvent(calendar, { ...removed, life: 'cancelled' });
    else deleteSeries(this.store, calendar, removed, nowMs);
    this.notifyOrganizer(calendar, removed, false);
  }

  /**
   * Writes a guest's changes to the own copy, and reports them to the organizer.
   * @param changesEvent true when guests may modify the event, so the change applies to the organizer's event
   */
  putCopy(calendar: CalendarRecord, record: EventRecord, changesEvent: boolean): EventRecord {
    const written = this.write(calendar, record);
    this.notifyOrganizer(calendar, written, changesEvent);
    return written;
  }

  private write(calendar: CalendarRecord, record: Omit<EventRecord, 'revision'>): EventRecord {
    if (record.recurringEventId !== null) return this.store.putEvent(calendar, record);
    return putSeries(this.store, calendar, record, this.host.nowMs());
  }

  private tell(record: EventRecord, previous: EventRecord | null, except?: CalendarRecord): void {
    const guests = new Set(this.guestsOf(record));
    for (const guest of guests) {
      if (guest !== except) this.invite(guest, record);
    }
    for (const guest of previous === null ? [] : this.guestsOf(previous)) {
      if (!guests.has(guest)) this.uninvite(guest, record);
    }
  }

  /** Changes of a series' guests apply to its exceptions. */
  private inviteToExceptions(calendar: CalendarRecord, series: EventRecord, previous: EventRecord): void {
    const before = new Set(previous.attendees.map(({ email }) => email.toLowerCase()));
    const now = new Set(series.attendees.map(({ email }) => email.toLowerCase()));
    const added = series.attendees.filter(({ email }) => !before.has(email.toLowerCase()));
    const isRemoved = ({ email }: Attendee) => before.has(email.toLowerCase()) && !now.has(email.toLowerCase());
    for (const exception of exceptionsOf(calendar.events, series.id)) {
      if (exception.life !== 'live') continue;
      const known = new Set(exception.attendees.map(({ email }) => email.toLowerCase()));
      const attendees = [
        ...exception.attendees.filter((attendee) => !isRemoved(attendee)),
        ...added.filter(({ email }) => !known.has(email.toLowerCase())),
      ];
      const isSame = added.every(({ email }) => known.has(email.toLowerCase())) && attendees.length === known.size;
      if (!isSame) this.put(calendar, { ...exception, attendees, updatedMs: series.updatedMs }, exception);
    }
  }

  private invite(guest: CalendarRecord, record: EventRecord): void {
    const master = record.recurringEventId === null ? null : this.masterCopy(guest, record);
    const existing = this.copyOf(guest, record, master);
    if (existing?.isRemovedByGuest || this.hasRemovedSeries(guest, record)) return;
    const copy: EventRecord = {
      ...record,
      id: existing?.id ?? this.freeId(guest, record, master),
      recurringEventId: master?.id ?? record.recurringEventId,
      life: record.life === 'cancelled' && master === null ? 'deleted' : record.life,
      isRemovedByGuest: false,
      own: existing?.own ?? blankOwn(record.own),
      former: existing?.former ?? [],
    };
    if (existing !== null && isSameForGuests(existing, copy)) return;
    this.write(guest, copy);
    const isNew = existing === null || existing.life !== 'live';
    if (isNew && record.recurrence !== null) this.inviteToInstances(guest, record);
  }

  /** Copies existing exceptions to a guest who is added later. */
  private inviteToInstances(guest: CalendarRecord, series: EventRecord): void {
    const organizer = this.calendarOf(series.organizer.email);
    for (const exception of organizer === undefined ? [] : exceptionsOf(organizer.events, series.id)) {
      if (exception.life !== 'deleted') this.invite(guest, exception);
    }
  }

  private uninvite(guest: CalendarRecord, record: EventRecord): void {
    const nowMs = this.host.nowMs();
    const master = record.recurringEventId === null ? null : this.masterCopy(guest, record);
    const copy = this.copyOf(guest, record, master);
    if (copy === null || copy.life !== 'live') return;
    if (master !== null) this.store.putEvent(guest, { ...copy, life: 'cancelled', updatedMs: nowMs });
    else deleteSeries(this.store, guest, copy, nowMs);
  }

  private notifyOrganizer(calendar: CalendarRecord, copy: EventRecord, changesEvent: boolean): void {
    const organizer = this.calendarOf(copy.organizer.email);
    const original = organizer === undefined ? null : this.originalOf(organizer, copy);
    if (organizer === undefined || original === null || original.life !== 'live') return;
    if (original.attendees.length > MAX_GUESTS_NOTIFIED) return;
    const attendees = changesEvent ? copy.attendees : withResponseOf(original.attendees, copy, calendar);
    // A change of the copy alone does not concern the organizer.
    if (!changesEvent && isDeepStrictEqual(attendees, original.attendees)) return;
    const { start, end, recurrence, shared } = changesEvent ? copy : original;
    const next = { ...original, start, end, recurrence, shared, attendees };
    this.put(organizer, { ...next, sequence: copy.sequence, updatedMs: this.host.nowMs() }, original, calendar);
  }

  private originalOf(organizer: CalendarRecord, copy: EventRecord): EventRecord | null {
    const master = eventsWithUid(organizer.events, copy.iCalUID).find(
      (record) => record.recurringEventId === null && isOrganizerCopy(record, organizer),
    );
    if (master === undefined || copy.originalStart === null) return master ?? null;
    return findEvent(organizer, `${master.id}_${suffixOf(copy.originalStart)}`);
  }

  /** Returns the calendars of guests in this sandbox; a secondary calendar can be a guest. */
  private guestsOf(record: EventRecord): CalendarRecord[] {
    return record.attendees
      .filter(({ email }) => email.toLowerCase() !== record.organizer.email.toLowerCase())
      .map(({ email }) => this.calendarOf(email))
      .filter((calendar) => calendar !== undefined && calendar.kind !== 'holidays') as CalendarRecord[];
  }

  private calendarOf(email: string): CalendarRecord | undefined {
    const known = this.store.calendar(email);
    if (known !== undefined) return known;
    const user = this.host.findUser(email);
    return user === undefined ? undefined : this.store.calendar(user.email);
  }

  private masterCopy(guest: CalendarRecord, record: EventRecord): EventRecord | null {
    const copies = copiesOn(guest, record);
    return copies.find(({ recurringEventId, life }) => recurringEventId === null && life === 'live') ?? null;
  }

  private hasRemovedSeries(guest: CalendarRecord, record: EventRecord): boolean {
    return copiesOn(guest, record).some(
      ({ recurringEventId, isRemovedByGuest }) => recurringEventId === null && isRemovedByGuest,
    );
  }

  private copyOf(guest: CalendarRecord, record: EventRecord, master: EventRecord | null): EventRecord | null {
    if (master !== null) return findEvent(guest, `${master.id}_${suffixOf(record.originalStart!)}`);
    const copies = copiesOn(guest, record);
    if (record.originalStart === null) return copies.find(({ recurringEventId }) => recurringEventId === null) ?? null;
    const suffix = suffixOf(record.originalStart);
    return copies.find(({ originalStart }) => originalStart !== null && suffixOf(originalStart) === suffix) ?? null;
  }

  /** Returns the organizer's id, unless another event of the guest has it. */
  private freeId(guest: CalendarRecord, record: EventRecord, master: EventRecord | null): string {
    if (master !== null) return `${master.id}_${suffixOf(record.originalStart!)}`;
    return guest.events.byId.get(record.id) === undefined ? record.id : this.store.ids.eventId();
  }
}

/**
 * Returns a guest's copies of an event. Own events can share id and iCalUID with it; one moved away may become a copy.
 */
function copiesOn(guest: CalendarRecord, { iCalUID }: EventRecord): EventRecord[] {
  return eventsWithUid(guest.events, iCalUID).filter(
    (record) => !isOrganizerCopy(record, guest) || record.life === 'deleted',
  );
}

/** True when the organizer has changed only the own copy. */
function isSameForGuests(before: EventRecord, after: EventRecord): boolean {
  const invitation = ({ life, start, end, recurrence, attendees, organizer, sequence, shared }: EventRecord) => {
    return { life, start, end, recurrence, attendees, organizer, sequence, shared };
  };
  return isDeepStrictEqual(invitation(before), invitation(after));
}

export function withResponse(
  attendees: readonly Attendee[],
  calendar: CalendarRecord,
  response: Partial<Pick<Attendee, 'responseStatus' | 'comment' | 'additionalGuests'>>,
): Attendee[] {
  return attendees.map((attendee) => (isSelf(attendee.email, calendar) ? { ...attendee, ...response } : attendee));
}

/** Merges the reply and the added guests of a copy into the organizer's list. */
function withResponseOf(attendees: readonly Attendee[], copy: EventRecord, calendar: CalendarRecord): Attendee[] {
  const self = selfOf(copy, calendar);
  const known = new Set(attendees.map(({ email }) => email.toLowerCase()));
  const added = copy.attendees.filter(({ email }) => !known.has(email.toLowerCase()));
  if (self === undefined) return [...attendees, ...added];
  const answered = attendees.map((attendee): Attendee => {
    if (!isSelf(attendee.email, calendar)) return attendee;
    const { email, displayName, optional, resource } = attendee;
    const { responseStatus, comment, additionalGuests } = self;
    return {
      email,
      ...(displayName === undefined ? {} : { displayName }),
      ...(comment === undefined ? {} : { comment }),
      responseStatus,
      optional,
      resource,
      additionalGuests,
    };
  });
  return [...answered, ...added];
}

/** Default own fields of a new copy. */
export function blankOwn({ transparency, visibility }: Pick<OwnFields, 'transparency' | 'visibility'>): OwnFields {
  return {
    transparency,
    visibility,
    properties: {},
    reminders: {},
    eventType: 'default',
    typeProperties: {},
    privateCopy: false,
  };
}
