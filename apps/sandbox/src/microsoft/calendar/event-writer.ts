import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Call, GraphErrorResponse, type GraphResponse, type GraphHost } from '../contract.js';
import type { CalendarAccess, SeenItem } from './calendar-access.js';
import { changedContent, blankContent, newMeeting, readTimes, type EventInput } from './event-content.js';
import { eventJson, ownAddress, revisionOf, wordingOf } from './event-view.js';
import { etagOf, itemId, mailboxKeyOf, uidOf } from './ids.js';
import type { Invitations } from './invitations.js';
import type { Reset } from './meeting-copy.js';
import type { Meetings } from './meetings.js';
import type { CalendarView, Content, EventRecord, Exception, Item } from './model.js';
import { datesOf, readRecurrence, timesOn, type Recurrence } from './recurrence.js';
import { invalidProperty, invalidRequest, notOffered, versionConflict } from './errors.js';
import { checkBetweenNeighbours, itemOf } from './series.js';
import type { Store } from './store.js';

/** Fields that the service never writes. */
const NOT_OFFERED = ['attachments', 'extensions', 'multiValueExtendedProperties', 'proposedNewTime'];

export class EventWriter {
  constructor(
    private readonly store: Store,
    private readonly host: Pick<GraphHost, 'nowMs'>,
    private readonly access: CalendarAccess,
    private readonly invitations: Invitations,
    private readonly meetings: Meetings,
  ) {}

  create(call: Call): GraphResponse {
    const view = this.access.writable(call);
    const input = inputOf(call);
    const { start, end, transactionId } = input;
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([view.key, call.body]))
      .digest('base64url');
    const replayed = transactionId === undefined ? null : this.replayed(view, transactionId, fingerprint);
    if (replayed !== null)
      return this.answer(201, { record: replayed, date: null, content: replayed.content }, view, call);
    if (start === undefined || end === undefined) throw invalidProperty('An event needs a start and an end.');
    const key = this.store.keys.next('event');
    const blank = blankContent(readTimes(start, end, input.isAllDay === true));
    const content = this.organized({
      ...changedContent(blank, input),
      ...newMeeting(input, view, key, this.meetings.dueMs()),
    });
    const nowMs = this.host.nowMs();
    const series = input.recurrence == null ? null : readRecurrence(input.recurrence, content.times);
    const record = this.store.putEvent({
      key,
      calendarKey: view.calendar.key,
      uid: uidOf(key),
      part: null,
      isOrganizer: true,
      organizer: ownAddress(view.owner),
      transactionId: transactionId ?? null,
      createdMs: nowMs,
      modifiedMs: nowMs,
      content: series === null ? content : { ...content, times: series.times },
      recurrence: series?.recurrence ?? null,
      exceptions: {},
      cancelled: [],
    });
    if (transactionId !== undefined) {
      this.store.putTransaction({
        mailboxKey: mailboxKeyOf(view.owner),
        id: transactionId,
        eventKey: key,
        fingerprint,
      });
    }
    this.written(record, { kind: 'all' });
    return this.answer(201, itemOf(this.store.presentEvent(key), null), view, call);
  }

  patch(call: Call): GraphResponse {
    const item = this.access.writableItem(call, call.isAnyOwn);
    checkVersion(call, item);
    const input = inputOf(call);
    // Only the organizer changes the attendees; other copies keep their list.
    const own = item.record.isOrganizer ? input : { ...input, attendees: undefined };
    if (item.date === null) this.patchWhole(item, own);
    else this.patchInstance(item, item.date, own);
    return this.answer(200, itemOf(this.store.presentEvent(item.record.key), item.date), item.view, call);
  }

  delete(call: Call): GraphResponse {
    const item = this.access.writableItem(call, call.isAnyOwn);
    checkVersion(call, item);
    this.remove(item);
    return { status: 204, body: null };
  }

  /** Only the organizer can cancel a meeting. */
  cancel(call: Call): GraphResponse {
    const item = this.access.writableItem(call, call.isAnyOwn);
    if (!item.record.isOrganizer) {
      throw invalidRequest("Your request can't be completed. You need to be an organizer to cancel a meeting.");
    }
    this.remove(item);
    return { status: 202, body: null };
  }

  respond(call: Call, response: 'accepted' | 'tentativelyAccepted' | 'declined'): GraphResponse {
    const { record, date, content } = this.access.writableItem(call, call.isAnyOwn);
    const { sendResponse = true, comment } = inputOf<{ sendResponse?: boolean; comment?: string | null }>(call);
    if (record.isOrganizer) {
      throw invalidRequest(
        "Your request can't be completed. You can't respond to this meeting because you're the meeting organizer.",
      );
    }
    if (content.isCancelled) throw invalidRequest("Your request can't be completed. The meeting has been canceled.");
    if (!sendResponse && comment != null && comment !== '') {
      throw new GraphErrorResponse(400, 'ErrorInvalidParameter', 'A comment is allowed only when a response is sent.');
    }
    this.invitations.respond(record, date, response, sendResponse);
    return { status: 202, body: null };
  }

  private patchWhole({ record, view }: SeenItem, input: EventInput): void {
    const { recurrence, times, ...content } = this.changedSeries(record, view, input);
    const isMoved = !isDeepStrictEqual(
      [recurrence, times.startMs, times.endMs, times.isAllDay],
      [record.recurrence, record.content.times.startMs, record.content.times.endMs, record.content.times.isAllDay],
    );
    const written = this.store.putEvent({
      ...record,
      content: this.organized({ ...content, times }, record.isOrganizer && isMoved),
      recurrence,
      modifiedMs: this.host.nowMs(),
      // New times discard all changes of instances.
      ...(isMoved && { exceptions: {}, cancelled: [] }),
    });
    this.written(written, isMoved ? { kind: 'all' } : null);
  }

  private changedSeries(
    record: EventRecord,
    view: CalendarView,
    input: EventInput,
  ): Content & { recurrence: Recurrence | null } {
    const changed = changedContent(record.content, input);
    const meeting = changed.meeting === null ? newMeeting(input, view, record.key, this.meetings.dueMs()) : null;
    const content = { ...changed, ...meeting };
    const asked = input.recurrence === undefined ? record.recurrence : input.recurrence;
    if (asked === null) return { ...content, recurrence: null };
    if (input.recurrence == null) {
      // The range determines the first day of the series, and stays.
      const { recurrence } = record;
      return { ...content, times: timesOn(content.times, recurrence!, recurrence!.range.startDate), recurrence };
    }
    const { recurrence, times } = readRecurrence(asked, content.times);
    return { ...content, times, recurrence };
  }

  private patchInstance({ record, content }: SeenItem, date: string, input: EventInput): void {
    if (input.recurrence !== undefined) throw invalidRequest('An instance of a series has no recurrence of its own.');
    const changed = changedContent(content, input);
    const isMoved = !isDeepStrictEqual(changed.times, content.times);
    if (isMoved) checkBetweenNeighbours(record, date, changed.times);
    const nowMs = this.host.nowMs();
    const exception: Exception = {
      content: this.organized(changed, record.isOrganizer && isMoved),
      createdMs: record.exceptions[date]?.createdMs ?? nowMs,
      modifiedMs: nowMs,
      revision: this.store.nextRevision(),
    };
    const exceptions = { ...record.exceptions, [date]: exception };
    const written = this.store.putEvent({ ...record, exceptions, modifiedMs: nowMs });
    this.written(written, isMoved ? { kind: 'instance', date } : null);
  }

  private remove({ record, date }: Item): void {
    const { [date ?? '']: _removed, ...exceptions } = record.exceptions;
    const rest = { ...record, exceptions, cancelled: date === null ? [] : [...record.cancelled, date] };
    if (date !== null && hasInstances(rest)) {
      this.invitations.deliver(this.store.putEvent({ ...rest, modifiedMs: this.host.nowMs() }), null);
      return;
    }
    this.invitations.cancel(record);
    this.store.removeEvent(record);
  }

  /**
   * Returns the event of an identical earlier request. @throws GraphErrorResponse 409 for another request, or a deleted event
   */
  private replayed({ owner }: CalendarView, id: string, fingerprint: string): EventRecord | null {
    const known = this.store.transaction(mailboxKeyOf(owner), id);
    if (known === undefined) return null;
    const record = this.store.events.get(known.eventKey);
    if (record !== undefined && known.fingerprint === fingerprint) return record;
    throw new GraphErrorResponse(
      409,
      'ErrorDuplicateTransactionId',
      "Your request can't be completed. The transaction id has been used.",
    );
  }

  /** The organizer counts as accepted; moving the meeting resets all replies. */
  private organized(content: Content, isMoved = false): Content {
    const { response } = content.response;
    const isOwn = response === 'none' || response === 'organizer';
    const attendees = isMoved
      ? content.attendees.map((attendee) => ({ ...attendee, status: { response: 'none' as const, atMs: null } }))
      : content.attendees;
    const own = { response: attendees.length > 0 ? ('organizer' as const) : ('none' as const), atMs: null };
    return { ...content, attendees, response: isOwn ? own : content.response };
  }

  private written(record: EventRecord, reset: Reset): void {
    this.invitations.deliver(record, reset);
    this.meetings.watch(record);
    this.meetings.settle();
  }

  private answer(status: number, item: Item, view: CalendarView, { prefer, url }: Call): GraphResponse {
    const row = eventJson(item, view, wordingOf(prefer));
    return {
      status,
      ...(status === 201 && {
        headers: { location: `${url}/${encodeURIComponent(itemId(nameOf(item), 'ordinary'))}` },
      }),
      body: row,
    };
  }
}

function nameOf({ record, date }: Item) {
  return { key: record.key, date };
}

function inputOf<Input extends object = EventInput>({ body, operationId }: Call): Partial<Input> {
  for (const name of NOT_OFFERED) {
    if (body !== null && name in body) throw notOffered(`${operationId} with ${name}`);
  }
  return (body ?? {}) as Partial<Input>;
}

function checkVersion({ headers }: Call, item: Item): void {
  const condition = headers['if-match'];
  if (condition !== undefined && condition !== '*' && condition !== etagOf(revisionOf(item))) throw versionConflict();
}

function hasInstances({ recurrence, cancelled }: Pick<EventRecord, 'recurrence' | 'cancelled'>): boolean {
  for (const date of recurrence === null ? [] : datesOf(recurrence)) if (!cancelled.includes(date)) return true;
  return false;
}
