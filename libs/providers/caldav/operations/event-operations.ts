import { createHash, randomUUID } from 'node:crypto';
import {
  DomainError,
  type CalendarEvent,
  type EditOptions,
  type EventInput,
  type EventWritten,
  type ExtendedProperties,
  type NewEventInput,
  type ResponseStatus,
  type WriteOptions,
} from '#domain';
import type { DavAnswer } from '../dav/contract.js';
import { DavStatusError } from '../dav/dav-errors.js';
import type { WriteContext } from '../events/contract.js';
import {
  EventSource,
  eventNotFound,
  ownAddresses,
  plainEtag,
  requireEvent,
  type EventOperationsDeps,
  type OpenCalendar,
} from './event-source.js';
import { splitEventId } from '../ids.js';
import { createResource, readResource, type ReadResource } from './event-resource.js';

/** Attempts of one edit when others write to the same object in between. */
const MAX_ATTEMPTS = 3;

interface EditTarget {
  /** Id of the resource. */
  eventId: string;
  /** Date part of an instance id; null for the series or single event. */
  instanceDate: string | null;
}

/**
 * Single events: read, create, change, delete, answer. Every write is a fresh read, a change of the lines concerned and
 * a conditional write, so that no one's edit is lost.
 */
export class EventOperations {
  constructor(private readonly deps: EventOperationsDeps) {}

  /** @throws DomainError NotFound */
  async get(calendar: OpenCalendar, eventId: string): Promise<CalendarEvent> {
    const target = splitEventId(eventId);
    const resource = await readResource(calendar, target.eventId);
    return this.show(calendar, resource, target.instanceDate);
  }

  /** @throws DomainError ValidationFailed, Conflict, ReadOnlyCalendar, ProviderRejected */
  async create(calendar: OpenCalendar, input: NewEventInput, options: WriteOptions): Promise<EventWritten> {
    const uid = newUid(calendar, options.idempotencyKey);
    const written = this.deps.writer.create(uid, input, this.writeContext(calendar));
    const resource = await createResource(calendar, uid, written.body);
    await this.savePrivate(calendar, uid, '', input.privateExtendedProperties);
    return {
      event: await this.show(calendar, resource, null),
      ignoredFields: [...written.ignoredFields, ...unheard(calendar, options)],
    };
  }

  /** @throws DomainError NotFound, ValidationFailed, PreconditionFailed, Conflict, ReadOnlyCalendar, ProviderRejected */
  async update(
    calendar: OpenCalendar,
    eventId: string,
    input: EventInput,
    options: EditOptions,
  ): Promise<EventWritten> {
    const target = splitEventId(eventId);
    const scope = options.scope ?? (target.instanceDate === null ? 'all' : 'this');
    return this.edit(calendar, target, options.ifMatch, async (resource) => {
      const written = this.deps.writer.update(
        resource.body,
        target.instanceDate,
        scope,
        input,
        this.writeContext(calendar),
      );
      const { split } = written;
      // The new series is written first: a crash in between shows events twice, never not at all.
      const rest = split === undefined ? null : await createResource(calendar, split.uid, split.body);
      try {
        await this.replace(calendar, resource, written.body);
      } catch (error) {
        if (rest !== null) await calendar.connection.client.delete(rest.href, {});
        throw error;
      }
      const uid = this.uidOf(resource);
      if (rest !== null && split !== undefined) {
        await this.movePrivate(calendar, uid, split.uid, target.instanceDate ?? '');
        await this.savePrivate(calendar, split.uid, '', input.privateExtendedProperties);
      } else {
        await this.savePrivate(calendar, uid, written.instanceDate ?? '', input.privateExtendedProperties);
      }
      const shown = rest ?? (await readResource(calendar, resource.id));
      return {
        event: await this.show(calendar, shown, rest === null ? written.instanceDate : null),
        ignoredFields: [...written.ignoredFields, ...unheard(calendar, options)],
      };
    });
  }

  /** @throws DomainError NotFound (also when it is already gone), PreconditionFailed, Conflict, ReadOnlyCalendar */
  async delete(calendar: OpenCalendar, eventId: string, options: EditOptions): Promise<{ ignoredFields: string[] }> {
    const target = splitEventId(eventId);
    const scope = options.scope ?? (target.instanceDate === null ? 'all' : 'this');
    return this.edit(calendar, target, options.ifMatch, async (resource) => {
      const uid = this.uidOf(resource);
      await this.requireShown(calendar, resource, target.instanceDate);
      const written =
        target.instanceDate === null || scope === 'all'
          ? null
          : this.deps.writer.remove(resource.body, target.instanceDate, scope, this.writeContext(calendar));
      if (written !== null && written.body !== null) {
        await this.replace(calendar, resource, written.body);
        if (scope === 'this') await this.removePrivate(calendar, uid, target.instanceDate ?? '');
      } else {
        await this.remove(calendar, resource, options);
        await this.removePrivate(calendar, uid);
      }
      return { ignoredFields: unheard(calendar, options, 'delete') };
    });
  }

  /** @throws DomainError NotFound, ValidationFailed (organizer, not invited), Forbidden, Conflict */
  async respond(
    calendar: OpenCalendar,
    eventId: string,
    status: ResponseStatus,
    options: WriteOptions,
  ): Promise<{ ignoredFields: string[] }> {
    const target = splitEventId(eventId);
    return this.edit(calendar, target, undefined, async (resource) => {
      await this.requireShown(calendar, resource, target.instanceDate);
      const written = this.deps.writer.respond(resource.body, target.instanceDate, status, this.writeContext(calendar));
      await this.replace(calendar, resource, written.body);
      return { ignoredFields: [...written.ignoredFields, ...unheard(calendar, options)] };
    });
  }

  /** Read, change, write; again from the read when someone else wrote in between and the caller named no version. */
  private async edit<T>(
    calendar: OpenCalendar,
    { eventId }: EditTarget,
    ifMatch: string | undefined,
    attempt: (resource: ReadResource) => Promise<T>,
  ): Promise<T> {
    for (let attempts = 1; ; attempts += 1) {
      const resource = await readResource(calendar, eventId);
      if (ifMatch !== undefined && !matchesEtag(ifMatch, resource.etag)) throw preconditionFailed();
      try {
        return await attempt(resource);
      } catch (error) {
        if (!(error instanceof DavStatusError) || error.status !== 412) throw error;
        if (ifMatch !== undefined) throw preconditionFailed();
        if (attempts >= MAX_ATTEMPTS) {
          throw new DomainError('Conflict', 'The event is being changed by others at the same time. Try again.');
        }
      }
    }
  }

  private async replace(calendar: OpenCalendar, resource: ReadResource, body: Buffer): Promise<void> {
    if (body.equals(resource.body)) return;
    await this.checkUnconditional(calendar, resource);
    requireWritten('PUT', await calendar.connection.client.put(resource.href, body, condition(resource)));
  }

  private async remove(calendar: OpenCalendar, resource: ReadResource, options: EditOptions): Promise<void> {
    await this.checkUnconditional(calendar, resource);
    const { ifMatch } = condition(resource);
    const answer = await calendar.connection.client.delete(resource.href, {
      ...(ifMatch !== undefined && { ifMatch }),
      ...(options.notifyParticipants === 'none' && { scheduleReply: false }),
    });
    if (answer.status === 404 || answer.status === 410) return;
    requireWritten('DELETE', answer);
  }

  /** A server without strong tags cannot refuse a late write: the body is compared right before it instead. */
  private async checkUnconditional(calendar: OpenCalendar, resource: ReadResource): Promise<void> {
    if (condition(resource).ifMatch !== undefined) return;
    const again = await readResource(calendar, resource.id);
    if (!again.body.equals(resource.body)) throw new DavStatusError('PUT', 412, null);
  }

  private async show(
    calendar: OpenCalendar,
    resource: ReadResource,
    instanceDate: string | null,
  ): Promise<CalendarEvent> {
    const source = new EventSource(this.deps, calendar);
    const { reader } = this.deps;
    const uid = reader.uid(resource.body);
    if (uid === null) throw eventNotFound();
    const stored = await this.deps.privateProperties.load(source.storeScope(), [uid]);
    const context = source.context(resource, stored.get(uid) ?? new Map<string, ExtendedProperties>());
    return requireEvent(
      instanceDate === null
        ? reader.master(resource.body, context)
        : reader.instance(resource.body, context, instanceDate),
    );
  }

  /** @throws DomainError NotFound; an object of overrides only has no master to show, yet it is there */
  private async requireShown(
    calendar: OpenCalendar,
    resource: ReadResource,
    instanceDate: string | null,
  ): Promise<void> {
    if (instanceDate !== null) {
      await this.show(calendar, resource, instanceDate);
      return;
    }
    const source = new EventSource(this.deps, calendar);
    const master = this.deps.reader.master(resource.body, source.context(resource, new Map()));
    if (master !== null) requireEvent(master);
  }

  private uidOf(resource: ReadResource): string {
    const uid = this.deps.reader.uid(resource.body);
    if (uid === null) throw eventNotFound();
    return uid;
  }

  private writeContext({ connection, collection }: OpenCalendar): WriteContext {
    const addresses = ownAddresses(connection);
    return {
      calendarTimeZone: collection.timeZone ?? 'UTC',
      ownAddresses: addresses,
      organizerEmail: addresses.find((address) => address.includes('@') && !address.includes(':')) ?? null,
      omitTimezones: connection.account.dav.includes('calendar-no-timezone'),
      nowMs: this.deps.nowMs(),
    };
  }

  private async savePrivate(
    calendar: OpenCalendar,
    iCalUid: string,
    instance: string,
    properties: ExtendedProperties | null | undefined,
  ): Promise<void> {
    if (properties === undefined) return;
    const scope = new EventSource(this.deps, calendar).storeScope();
    await this.deps.privateProperties.save({ ...scope, iCalUid, instance }, properties ?? {});
  }

  private async removePrivate(calendar: OpenCalendar, iCalUid: string, instance?: string): Promise<void> {
    const scope = new EventSource(this.deps, calendar).storeScope();
    await this.deps.privateProperties.remove({ ...scope, iCalUid, ...(instance !== undefined && { instance }) });
  }

  /** A series that was split takes its own properties, and those of its instances, along. */
  private async movePrivate(calendar: OpenCalendar, from: string, to: string, splitAt: string): Promise<void> {
    const scope = new EventSource(this.deps, calendar).storeScope();
    const stored = (await this.deps.privateProperties.load(scope, [from])).get(from);
    for (const [instance, properties] of stored ?? []) {
      if (instance !== '' && instance < splitAt) continue;
      await this.deps.privateProperties.save({ ...scope, iCalUid: to, instance }, properties);
      if (instance !== '') await this.deps.privateProperties.remove({ ...scope, iCalUid: from, instance });
    }
  }
}

/** The same request retried makes the same UID, so that the server tells that it is already there (hardening F23). */
function newUid({ connection, collection }: OpenCalendar, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return randomUUID().toUpperCase();
  const { applicationId, accountId } = connection.session;
  const digest = createHash('sha256').update(JSON.stringify([applicationId, accountId, collection.id, idempotencyKey]));
  const hex = digest.digest('hex').slice(0, 32).toUpperCase();
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, (_all, a, b, c, d, e) => `${a}-${b}-8${c}-A${d}-${e}`);
}

/** A weak tag never matches in If-Match (RFC 9110 §8.8.3.2), so it is not sent. */
function condition({ etag }: ReadResource): { ifMatch?: string } {
  return etag === null || /^W\//i.test(etag) ? {} : { ifMatch: etag };
}

function matchesEtag(asked: string, etag: string | null): boolean {
  if (asked.trim() === '*') return true;
  return etag !== null && asked.split(',').some((one) => plainEtag(one.trim()) === plainEtag(etag));
}

function requireWritten(method: 'PUT' | 'DELETE', { status, precondition }: DavAnswer): void {
  if (status !== 200 && status !== 201 && status !== 204) throw new DavStatusError(method, status, precondition);
}

function preconditionFailed(): DomainError {
  return new DomainError('PreconditionFailed', 'The event has changed since the version named in If-Match.');
}

/**
 * What a CalDAV server does with invitations cannot be asked for: a scheduling server tells everyone on every write
 * (RFC 6638), another one nobody. Only what happens anyway counts as done; and a refusal to tell on deletion.
 */
function unheard(
  { connection }: OpenCalendar,
  { notifyParticipants }: WriteOptions,
  operation: 'write' | 'delete' = 'write',
): string[] {
  if (notifyParticipants === undefined) return [];
  const tellsEveryone = connection.account.dav.includes('calendar-auto-schedule');
  const honoured = tellsEveryone
    ? notifyParticipants === 'all' || (notifyParticipants === 'none' && operation === 'delete')
    : notifyParticipants === 'none';
  return honoured ? [] : ['notifyParticipants'];
}
