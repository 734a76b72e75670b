import type { ExtendedProperties, PrivatePropertyStore } from '#domain/events';
import { RecurrenceError } from '#icalendar';
import { instancesAfter } from '../events/series-move.js';
import type { DavCalendarHandle } from '../account-client.js';
import { scopeOf, type CalendarScope } from './event-source.js';

/** An object before and after an edit; `firstInstance` is the first one of the new object, null for the same one. */
interface ObjectEdit {
  before: Uint8Array;
  after: Uint8Array;
  firstInstance: string | null;
}

/**
 * Stores private extended properties of one event under the dates of its instances, beside the object (decisions,
 * "Settled for all providers"). An edit that moves instances moves them too.
 */
export class InstanceProperties {
  private readonly scope: CalendarScope;
  private readonly calendarTimeZone: string;

  constructor(
    private readonly store: PrivatePropertyStore,
    calendar: DavCalendarHandle,
    private readonly iCalUid: string,
  ) {
    this.scope = scopeOf(calendar);
    this.calendarTimeZone = calendar.collection.timeZone ?? 'UTC';
  }

  /** @param instance '' for the event or series @param properties undefined keeps them, null clears them */
  async save(instance: string, properties: ExtendedProperties | null | undefined): Promise<void> {
    if (properties === undefined) return;
    const isNone = Object.keys(properties ?? {}).length === 0;
    // An instance needs an entry for none only while the series has some.
    if (isNone && !(await this.load()).has('')) return this.remove(instance);
    await this.store.save({ ...this.scope, iCalUid: this.iCalUid, instance }, properties ?? {});
  }

  /** Deletes those of one instance, or of the event and all its instances. */
  async remove(instance?: string): Promise<void> {
    await this.store.remove({ ...this.scope, iCalUid: this.iCalUid, ...(instance !== undefined && { instance }) });
  }

  async removeFrom(instance: string): Promise<void> {
    for (const each of (await this.load()).keys()) if (each !== '' && each >= instance) await this.remove(each);
  }

  async relocate(edit: ObjectEdit): Promise<void> {
    const stored = await this.load();
    const moved = this.moved(stored, edit);
    // Saves before it deletes: a crash in between leaves surplus properties, but loses none.
    for (const [instance, properties] of moved) {
      if (stored.get(instance) !== properties) await this.save(instance, properties);
    }
    for (const instance of stored.keys()) if (!moved.has(instance)) await this.remove(instance);
  }

  /** After a split, copies the properties of the series and moves those of later instances. */
  async splitTo(rest: InstanceProperties, splitAt: string, edit: ObjectEdit): Promise<void> {
    const later = new Map([...(await this.load())].filter(([instance]) => instance === '' || instance >= splitAt));
    for (const [instance, properties] of this.moved(later, edit)) await rest.save(instance, properties);
    for (const instance of later.keys()) if (instance !== '') await this.remove(instance);
  }

  private async load(): Promise<ReadonlyMap<string, ExtendedProperties>> {
    const stored = await this.store.load(this.scope, [this.iCalUid]);
    return stored.get(this.iCalUid) ?? new Map<string, ExtendedProperties>();
  }

  private moved(stored: ReadonlyMap<string, ExtendedProperties>, edit: ObjectEdit): Map<string, ExtendedProperties> {
    const dates = [...stored.keys()].filter((instance) => instance !== '');
    const places = dates.length === 0 ? new Map<string, string | null>() : this.places(edit, dates);
    const moved = new Map<string, ExtendedProperties>();
    for (const [instance, properties] of stored) {
      const place = instance === '' ? '' : places.get(instance);
      if (place != null) moved.set(place, properties);
    }
    return moved;
  }

  private places({ before, after, firstInstance }: ObjectEdit, dates: string[]): Map<string, string | null> {
    try {
      return instancesAfter(before, after, firstInstance, dates, this.calendarTimeZone);
    } catch (error) {
      // A series that cannot be expanded has had no edit that moves instances.
      if (error instanceof RecurrenceError) return new Map(dates.map((date) => [date, date]));
      throw error;
    }
  }
}
