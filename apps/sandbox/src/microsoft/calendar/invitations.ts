import { isDeepStrictEqual } from 'node:util';
import type { GraphHost, MicrosoftUser } from '../contract.js';
import { blankContent } from './event-content.js';
import { ownAddress } from './event-view.js';
import { mailboxKeyOf, uidOf } from './ids.js';
import {
  calledOff,
  copiedInstance,
  isAskedAgain,
  isSame,
  NO_RESPONSE,
  received,
  touchedDates,
  type Reset,
} from './meeting-copy.js';
import type {
  Attendee,
  CalendarView,
  Content,
  EmailAddress,
  EventRecord,
  Exception,
  Response,
  ResponseType,
  Times,
} from './model.js';
import { itemOf } from './series.js';
import type { Store } from './store.js';

type Unwritten = Omit<EventRecord, 'revision'>;

/** A meeting with an organizer outside the sandbox. */
export interface ExternalMeeting {
  subject: string;
  times: Times;
  organizer: EmailAddress;
}

/** Maintains the copies of meetings in attendees' calendars, and their replies. */
export class Invitations {
  constructor(
    private readonly store: Store,
    private readonly host: Pick<GraphHost, 'nowMs' | 'findUser'>,
  ) {}

  /** Updates all copies of an organizer's meeting; overwrites changes by attendees. */
  deliver(meeting: EventRecord, reset: Reset): void {
    if (!meeting.isOrganizer) return;
    const invited = this.invited(meeting);
    for (const user of invited.whole) this.deliverWhole(meeting, user, reset);
    for (const { user, date } of invited.parts) this.deliverPart(meeting, user, date, reset);
    for (const copy of this.copies(meeting)) {
      const mailboxKey = this.mailboxOf(copy);
      const isInvited =
        copy.part === null
          ? invited.whole.some((user) => mailboxKeyOf(user) === mailboxKey)
          : invited.parts.some(({ user, date }) => mailboxKeyOf(user) === mailboxKey && date === copy.part);
      if (!isInvited) this.callOff(copy);
    }
  }

  /** The copies of a deleted meeting stay, marked as cancelled. */
  cancel(meeting: EventRecord): void {
    if (!meeting.isOrganizer) return;
    for (const copy of this.copies(meeting)) this.callOff(copy);
  }

  /** Creates an invitation from outside the sandbox. @returns its `iCalUId` */
  invite(view: CalendarView, { subject, times, organizer }: ExternalMeeting): string {
    const key = this.store.keys.next('event');
    const attendees: Attendee[] = [{ emailAddress: ownAddress(view.owner), type: 'required', status: NO_RESPONSE }];
    const nowMs = this.host.nowMs();
    const copy = this.store.putEvent({
      key,
      calendarKey: view.calendar.key,
      uid: uidOf(key),
      part: null,
      isOrganizer: false,
      organizer,
      transactionId: null,
      createdMs: nowMs,
      modifiedMs: nowMs,
      content: received({ ...blankContent(times), subject, attendees }, undefined, false),
      recurrence: null,
      exceptions: {},
      cancelled: [],
    });
    return copy.uid;
  }

  /**
   * Records an attendee's reply to a meeting or to one instance.
   * @param isSent true when the organizer receives the reply
   */
  respond(copy: EventRecord, date: string | null, response: ResponseType, isSent: boolean): void {
    const answer: Response = { response, atMs: this.host.nowMs() };
    const meeting = this.store.copiesOf(copy.uid).find(({ isOrganizer }) => isOrganizer);
    if (isSent && meeting !== undefined) this.record(meeting, this.mailboxOf(copy), date ?? copy.part, answer);
    if (response === 'declined') this.drop(copy, date);
    else this.keep(copy, date, answer, meeting?.content.showAs ?? 'busy');
  }

  /** Removes a declined meeting from the calendar. */
  private drop(copy: EventRecord, date: string | null): void {
    if (date === null) {
      this.store.removeEvent(copy);
      return;
    }
    const { [date]: _dropped, ...exceptions } = copy.exceptions;
    this.put({ ...copy, exceptions, cancelled: [...copy.cancelled, date] });
  }

  private keep(copy: EventRecord, date: string | null, response: Response, intendedShowAs: string): void {
    const showAs = response.response === 'accepted' ? intendedShowAs : 'tentative';
    const answered = (content: Content): Content => ({ ...content, response, showAs });
    if (date === null) this.put(this.mapped(copy, answered));
    else this.put(this.withException(copy, date, answered(itemOf(copy, date).content)));
  }

  /** Records a reply in the organizer's event. */
  private record(meeting: EventRecord, mailboxKey: string, date: string | null, response: Response): void {
    const attendee = this.store.mailboxes.get(mailboxKey);
    const recorded = (content: Content): Content => ({
      ...content,
      attendees: content.attendees.map((each) => (isSame(each, attendee) ? { ...each, status: response } : each)),
    });
    if (date === null) this.put(this.mapped(meeting, recorded));
    else this.put(this.withException(meeting, date, recorded(itemOf(meeting, date).content)));
  }

  private deliverWhole(meeting: EventRecord, user: MicrosoftUser, reset: Reset): void {
    const known = this.copyOf(meeting, user, null);
    // A copy with another pattern has no matching instances.
    const isFitting = reset?.kind !== 'all' && isDeepStrictEqual(known?.recurrence, meeting.recurrence);
    const mine = isFitting ? known : undefined;
    const exceptions: Record<string, Exception> = {};
    const cancelled: string[] = [];
    for (const date of touchedDates(meeting, mine)) {
      const content = copiedInstance(meeting, mine, user, date, reset);
      if (content === null) cancelled.push(date);
      else exceptions[date] = this.exception(content, mine?.exceptions[date]);
    }
    this.put({
      ...(known ?? this.newCopy(meeting, user, null)),
      content: received(meeting.content, known?.content, reset?.kind === 'all'),
      recurrence: meeting.recurrence,
      exceptions,
      cancelled,
    });
  }

  private deliverPart(meeting: EventRecord, user: MicrosoftUser, date: string, reset: Reset): void {
    const known = this.copyOf(meeting, user, date);
    const content = received(itemOf(meeting, date).content, known?.content, isAskedAgain(reset, date));
    this.put({ ...(known ?? this.newCopy(meeting, user, date)), content });
  }

  private newCopy(meeting: EventRecord, user: MicrosoftUser, part: string | null): Unwritten {
    const nowMs = this.host.nowMs();
    return {
      key: this.store.keys.next('event'),
      calendarKey: this.store.defaultCalendar(mailboxKeyOf(user)).key,
      uid: meeting.uid,
      part,
      isOrganizer: false,
      organizer: meeting.organizer,
      transactionId: null,
      createdMs: nowMs,
      modifiedMs: nowMs,
      content: meeting.content,
      recurrence: null,
      exceptions: {},
      cancelled: [],
    };
  }

  private callOff(copy: EventRecord): void {
    if (!copy.content.isCancelled) this.put(this.mapped(copy, calledOff));
  }

  /** Returns the sandbox users among the attendees, and those of single instances. */
  private invited(meeting: EventRecord): { whole: MicrosoftUser[]; parts: { user: MicrosoftUser; date: string }[] } {
    const whole = this.usersAmong(meeting, meeting.content.attendees);
    const parts = Object.entries(meeting.exceptions).flatMap(([date, { content }]) =>
      this.usersAmong(meeting, content.attendees)
        .filter((user) => !whole.includes(user))
        .map((user) => ({ user, date })),
    );
    return { whole, parts };
  }

  private usersAmong(meeting: EventRecord, attendees: readonly Attendee[]): MicrosoftUser[] {
    const users = attendees.flatMap(({ emailAddress }) => this.host.findUser(emailAddress.address) ?? []);
    return users.filter((user) => {
      const mailboxKey = mailboxKeyOf(user);
      return mailboxKey !== this.mailboxOf(meeting) && this.store.mailboxes.get(mailboxKey) !== undefined;
    });
  }

  private copies(meeting: EventRecord): EventRecord[] {
    return this.store.copiesOf(meeting.uid).filter(({ isOrganizer }) => !isOrganizer);
  }

  private copyOf(meeting: EventRecord, user: MicrosoftUser, part: string | null): EventRecord | undefined {
    return this.copies(meeting).find((copy) => copy.part === part && this.mailboxOf(copy) === mailboxKeyOf(user));
  }

  private mailboxOf({ calendarKey }: EventRecord): string {
    return this.store.calendars.get(calendarKey)!.mailboxKey;
  }

  private withException(record: EventRecord, date: string, content: Content): Unwritten {
    const exception = this.exception(content, record.exceptions[date]);
    return { ...record, exceptions: { ...record.exceptions, [date]: exception } };
  }

  private mapped(record: EventRecord, change: (content: Content) => Content): Unwritten {
    const exceptions = Object.entries(record.exceptions).map(
      ([date, own]) => [date, this.exception(change(own.content), own)] as const,
    );
    return { ...record, content: change(record.content), exceptions: Object.fromEntries(exceptions) };
  }

  private exception(content: Content, before: Exception | undefined): Exception {
    const nowMs = this.host.nowMs();
    const revision = this.store.nextRevision();
    return { content, createdMs: before?.createdMs ?? nowMs, modifiedMs: nowMs, revision };
  }

  private put(record: Unwritten): void {
    this.store.putEvent({ ...record, modifiedMs: this.host.nowMs() });
  }
}
