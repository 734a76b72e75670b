import type { CalendarEvent, EventInput, NewEventInput, ResponseStatus } from '#domain/events';
import type { EditOptions, EventWritten, WriteOptions } from '#domain/providers';
import { editEvent, etagOf } from '#providers/kit/events';
import { eventNotFound } from '#providers/kit/series';
import type { DavCalendarHandle } from '../account-client.js';
import type { DavHttpResponse, PutOptions } from '../dav/contract.js';
import { DavStatusError, isDone } from '../dav/dav-errors.js';
import { audienceOf } from '../events/audience.js';
import type { WriteContext } from '../events/contract.js';
import { parseObject, unlessBroken } from '../events/calendar-object.js';
import { EventReader } from '../events/event-reader.js';
import { EventWriter } from '../events/event-writer.js';
import { requestUuid } from '../events/object-writer.js';
import { splitEventId } from '../ids.js';
import {
  EventSource,
  organizerOf,
  ownAddresses,
  requireEvent,
  scopeOf,
  type EventOperationsDeps,
} from './event-source.js';
import { createResource, currentEtag, findResource, readResource, type ReadResource } from './event-resource.js';
import { InstanceProperties } from './instance-properties.js';
import { isStored, WrittenObjects } from './written-objects.js';
import type { ServerFacts } from '../server-facts.js';
import { audienceOfDeletion, scheduleAgentOf, ignoredNotifyOption } from './notification.js';

const reader = new EventReader();
const writer = new EventWriter();

type ObjectEdit = [before: Buffer | null, after: Buffer | null];

/** Every write reads the object, changes the affected lines and writes conditionally, so no concurrent edit is lost. */
export class DavEvents {
  private readonly writes: WrittenObjects;

  constructor(
    private readonly deps: EventOperationsDeps,
    facts: ServerFacts,
  ) {
    this.writes = new WrittenObjects(facts);
  }

  /** @throws DomainError NotFound; ProviderUnavailable for an unreadable object */
  async get(calendar: DavCalendarHandle, eventId: string): Promise<CalendarEvent> {
    const { eventId: id, instanceDate } = splitEventId(eventId);
    return this.show(calendar, await readResource(calendar, id), instanceDate);
  }

  /** @throws DomainError ValidationFailed, Conflict, ReadOnlyCalendar, ProviderRejected */
  async create(calendar: DavCalendarHandle, input: NewEventInput, options: WriteOptions): Promise<EventWritten> {
    const uid = requestUuid(calendar.connection.session, options.idempotencyKey, calendar.collection.id);
    const written = writer.create(uid, input, this.writeContext(calendar, options));
    const { resource } = await createResource(calendar, uid, written.body, this.writes);
    await this.properties(calendar, uid).save('', input.privateExtendedProperties);
    return {
      event: await this.show(calendar, resource, null),
      // Checks the stored object, because Apple's calendar server removes SCHEDULE-AGENT from its own guests.
      ignoredFields: [...written.ignoredFields, ...this.ignoredNotifyOption(calendar, options, [null, resource.body])],
    };
  }

  /** @throws DomainError NotFound, ValidationFailed, PreconditionFailed, Conflict, ReadOnlyCalendar, ProviderRejected */
  async update(
    calendar: DavCalendarHandle,
    eventId: string,
    input: EventInput,
    options: EditOptions,
  ): Promise<EventWritten> {
    return this.edit(calendar, eventId, options.ifMatch, async (resource, askedDate) => {
      const scope = options.scope ?? (askedDate === null ? 'all' : 'this');
      const instanceDate = this.canonicalDate(calendar, resource, askedDate);
      const context = this.writeContext(calendar, options);
      const written = writer.update(resource.body, instanceDate, scope, input, context);
      const { split } = written;
      // Writes the new series first: a crash in between duplicates events, but loses none.
      const made = split === undefined ? null : await createResource(calendar, split.uid, split.body, this.writes);
      const rest = made?.resource ?? null;
      let response: DavHttpResponse | null = null;
      try {
        response = await this.replace(calendar, resource, written.body, ifMatch(resource));
      } catch (error) {
        if (made === null || instanceDate === null) throw error;
        // After a lost response the series may have ended, and the new one holds the only later instances.
        if (!(await this.isEnded(calendar, resource, instanceDate))) {
          // Another try of this request, which is still under way, may need the object that it made.
          if (made.isNew || isVersionConflict(error)) await calendar.connection.client.delete(made.resource.href, {});
          throw error;
        }
      }
      const own = this.properties(calendar, uidOf(resource));
      // With its series, the named instance takes the new ones.
      const isNamed = instanceDate !== null && written.instanceDate === null;
      if (isNamed && input.privateExtendedProperties !== undefined) await own.remove(instanceDate);
      if (split !== undefined) {
        const continued = this.properties(calendar, split.uid);
        const edit = { before: resource.body, after: split.body, firstInstance: instanceDate };
        await own.splitTo(continued, instanceDate ?? '', edit);
        await continued.save('', input.privateExtendedProperties);
        // The object of another try may hold what that one asked for.
        if (made?.isNew === false) return this.updateAll(calendar, made.resource.id, input, options);
      } else {
        if (written.instanceDate === null) {
          await own.relocate({ before: resource.body, after: written.body, firstInstance: null });
        }
        await own.save(written.instanceDate ?? '', input.privateExtendedProperties);
      }
      const { id, href } = resource;
      const read = () => readResource(calendar, id);
      const stored = async () =>
        response === null ? read() : this.writes.stored(calendar, { id, href, body: written.body, response }, read);
      const shown = rest ?? (await stored());
      const isWritten = !written.body.equals(resource.body);
      const edits: ObjectEdit[] = [];
      if (isWritten) edits.push([resource.body, rest === null ? shown.body : written.body]);
      if (rest !== null) edits.push([null, rest.body]);
      return {
        event: await this.show(calendar, shown, rest === null ? written.instanceDate : null),
        ignoredFields: [...written.ignoredFields, ...this.ignoredNotifyOption(calendar, options, ...edits)],
      };
    });
  }

  private updateAll(calendar: DavCalendarHandle, eventId: string, input: EventInput, options: EditOptions) {
    const { ifMatch: _ifMatch, ...others } = options;
    return this.update(calendar, eventId, input, { ...others, scope: 'all' });
  }

  /** @throws DomainError NotFound (also for a deleted event), PreconditionFailed, Conflict, ReadOnlyCalendar */
  async delete(
    calendar: DavCalendarHandle,
    eventId: string,
    options: EditOptions,
  ): Promise<{ ignoredFields: string[] }> {
    return this.edit(calendar, eventId, options.ifMatch, async (resource, askedDate) => {
      const scope = options.scope ?? (askedDate === null ? 'all' : 'this');
      if (askedDate === null && scope === 'all' && unlessBroken(() => parseObject(resource.body)) === null) {
        // An unreadable object can still be deleted as a whole. Its UID is unknown, so its private properties stay.
        await this.remove(calendar, resource, options);
        return { ignoredFields: this.ignoredNotifyOption(calendar, options, [resource.body, null]) };
      }
      await this.requireShown(calendar, resource, askedDate);
      const instanceDate = this.canonicalDate(calendar, resource, askedDate);
      const properties = this.properties(calendar, uidOf(resource));
      const context = this.writeContext(calendar, options);
      const left = scope === 'all' ? null : writer.remove(resource.body, instanceDate, scope, context);
      if (instanceDate !== null && left !== null) {
        await this.replace(calendar, resource, left, ifMatch(resource));
        if (scope === 'this') await properties.remove(instanceDate);
        else await properties.removeFrom(instanceDate);
        return { ignoredFields: this.ignoredNotifyOption(calendar, options, [resource.body, left]) };
      }
      await this.remove(calendar, resource, options);
      await properties.remove();
      const audience = audienceOf(resource.body, null, ownAddresses(calendar.connection));
      return {
        ignoredFields: ignoredNotifyOption(calendar.connection.account, options, audienceOfDeletion(audience, options)),
      };
    });
  }

  /** @throws DomainError NotFound, ValidationFailed (organizer, not invited), Forbidden, Conflict */
  async respond(
    calendar: DavCalendarHandle,
    eventId: string,
    status: ResponseStatus,
    options: WriteOptions,
  ): Promise<{ ignoredFields: string[] }> {
    return this.edit(calendar, eventId, undefined, async (resource, instanceDate) => {
      await this.requireShown(calendar, resource, instanceDate);
      const body = writer.respond(resource.body, instanceDate, status, this.writeContext(calendar, options));
      // Replies of others, which the server records, must not fail this write (RFC 6638 §3.2.10).
      const { scheduleTag } = resource;
      const condition = scheduleTag === null ? ifMatch(resource) : { ifScheduleTagMatch: scheduleTag };
      await this.replace(calendar, resource, body, condition);
      return { ignoredFields: this.ignoredNotifyOption(calendar, options, [resource.body, body]) };
    });
  }

  private async edit<T>(
    calendar: DavCalendarHandle,
    eventId: string,
    asked: string | undefined,
    attempt: (resource: ReadResource, instanceDate: string | null) => Promise<T>,
  ): Promise<T> {
    const target = splitEventId(eventId);
    let rejected: ReadResource | null = null;
    const find = async () => {
      const read = await readResource(calendar, target.eventId);
      const isSame = rejected !== null && read.etag === rejected.etag && read.body.equals(rejected.body);
      rejected = read;
      // Prefers the listed etag for an unchanged body: OX returns old etags after a write, and proxies add `-gzip`.
      return isSame ? { ...read, etag: (await currentEtag(calendar.connection, read.href)) ?? read.etag } : read;
    };
    return editEvent(asked, { find, isVersionConflict }, (resource) => attempt(resource, target.instanceDate));
  }

  /**
   * With an empty `condition`, compares the stored object right before the write instead.
   * @returns null when nothing was to be written, or when a try whose response was lost has written it
   */
  private async replace(
    calendar: DavCalendarHandle,
    resource: ReadResource,
    body: Buffer,
    condition: Pick<PutOptions, 'ifMatch' | 'ifScheduleTagMatch'>,
  ): Promise<DavHttpResponse | null> {
    if (body.equals(resource.body)) return null;
    if (Object.keys(condition).length === 0) await requireUnchanged(calendar, resource);
    const response = await calendar.connection.client.put(resource.href, body, condition);
    if (response.status === 412) {
      const found = await findResource(calendar, resource.id);
      if (found !== null && isStored(calendar, found, body)) return null;
    }
    requireWritten('PUT', response);
    return response;
  }

  /** @throws errors of the read */
  private async isEnded(calendar: DavCalendarHandle, before: ReadResource, instanceDate: string): Promise<boolean> {
    const found = await findResource(calendar, before.id);
    const timeZone = calendar.collection.timeZone ?? 'UTC';
    return found !== null && reader.isEndOf(before.body, instanceDate, found.body, timeZone);
  }

  private async remove(calendar: DavCalendarHandle, resource: ReadResource, options: EditOptions): Promise<void> {
    const condition = ifMatch(resource);
    if (condition.ifMatch === undefined) await requireUnchanged(calendar, resource);
    const response = await calendar.connection.client.delete(resource.href, {
      ...condition,
      ...(options.notifyParticipants === 'none' && { scheduleReply: false }),
    });
    if (response.status === 404 || response.status === 410) return;
    requireWritten('DELETE', response);
  }

  private async show(
    calendar: DavCalendarHandle,
    resource: ReadResource,
    instanceDate: string | null,
  ): Promise<CalendarEvent> {
    const source = new EventSource(this.deps, calendar);
    const uid = uidOf(resource);
    const stored = await this.deps.privateProperties.load(scopeOf(calendar), [uid]);
    const context = source.context(resource, stored.get(uid));
    const { body } = resource;
    return requireEvent(
      instanceDate === null ? reader.master(body, context) : reader.instance(body, context, instanceDate),
    );
  }

  /** Accepts an object that holds only overrides, which has no master. @throws DomainError NotFound */
  private async requireShown(
    calendar: DavCalendarHandle,
    resource: ReadResource,
    instanceDate: string | null,
  ): Promise<void> {
    if (instanceDate !== null) {
      await this.show(calendar, resource, instanceDate);
      return;
    }
    const source = new EventSource(this.deps, calendar);
    const master = reader.master(resource.body, source.context(resource));
    if (master !== null) requireEvent(master);
  }

  /** Names `notifyParticipants` when the edits did not comply with it; null stands for no object before or after. */
  private ignoredNotifyOption(
    { connection }: DavCalendarHandle,
    options: WriteOptions,
    ...edits: ObjectEdit[]
  ): string[] {
    const own = ownAddresses(connection);
    return ignoredNotifyOption(
      connection.account,
      options,
      ...edits.map(([before, after]) => audienceOf(before, after, own)),
    );
  }

  private writeContext({ connection, collection }: DavCalendarHandle, options: WriteOptions): WriteContext {
    return {
      calendarTimeZone: collection.timeZone ?? 'UTC',
      ownAddresses: ownAddresses(connection),
      organizer: organizerOf(connection),
      scheduleAgent: scheduleAgentOf(connection.account, options),
      omitTimezones: connection.account.dav.includes('calendar-no-timezone'),
      nowMs: this.deps.nowMs(),
    };
  }

  private properties(calendar: DavCalendarHandle, iCalUid: string): InstanceProperties {
    return new InstanceProperties(this.deps.privateProperties, calendar, iCalUid);
  }

  /** Returns the date as in the instance's id, because callers may name an instance by its day. */
  private canonicalDate(
    calendar: DavCalendarHandle,
    resource: ReadResource,
    instanceDate: string | null,
  ): string | null {
    if (instanceDate === null) return null;
    const source = new EventSource(this.deps, calendar);
    const event = reader.instance(resource.body, source.context(resource), instanceDate);
    return event === null ? instanceDate : (splitEventId(event.id).instanceDate ?? instanceDate);
  }
}

/** Omits a tag that no header can carry, and a weak one, which never matches in If-Match (RFC 9110 §8.8.3.2). */
function ifMatch({ etag }: ReadResource): { ifMatch?: string } {
  const tag = etagOf(etag);
  return tag === null || /^W\//i.test(tag) ? {} : { ifMatch: tag };
}

/** Detects a concurrent change on a server without strong tags. @throws DavStatusError 412 */
async function requireUnchanged(calendar: DavCalendarHandle, resource: ReadResource): Promise<void> {
  const again = await readResource(calendar, resource.id);
  if (!again.body.equals(resource.body)) throw new DavStatusError('PUT', 412, null);
}

function uidOf({ body }: ReadResource): string {
  const uid = reader.uid(body);
  if (uid === null) throw eventNotFound();
  return uid;
}

function isVersionConflict(error: unknown): boolean {
  return error instanceof DavStatusError && error.status === 412;
}

function requireWritten(method: 'PUT' | 'DELETE', response: DavHttpResponse): void {
  if (!isDone(response)) throw DavStatusError.of(method, response);
}
