import { lineLike, parseRecurrence, recurrenceLines, type IcsTimes } from '#providers/kit/series';
import { type EditableComponent, type IcsComponent, type IcsProperty, type IcsTime, type ZoneSource } from '#icalendar';
import { shownLine } from './shown-recurrence.js';

/** What is to become of the recurrence of a component. */
export interface RecurrencePlan {
  /** Lines the component already has: callers wrote them as they stand there, or as they were shown. */
  kept: ReadonlySet<IcsProperty>;
  added: readonly IcsProperty[];
  /**
   * True when the caller listed no EXDATE: a rule says nothing about single instances that were deleted, so those stay
   * deleted as far as they are still instances.
   */
  keepsExclusions: boolean;
}

/**
 * Reads recurrence lines as callers write them. `RRULE:` may be left out.
 * @param current the component as it is; null for a new one
 * @param zones those of its object
 * @returns null when they say what the component says already
 * @throws DomainError ValidationFailed
 */
export function planRecurrence(
  lines: readonly string[],
  current: IcsComponent | null,
  zones: ZoneSource,
): RecurrencePlan | null {
  const written = (current === null ? [] : recurrenceLines(current)).map((property) => ({
    property,
    texts: [property.line, shownLine(property, zones)],
  }));
  const isSame = ({ texts }: { texts: string[] }, index: number) => texts.includes(lines[index]?.trim() ?? '');
  if (written.length === lines.length && written.every(isSame)) return null;
  const properties = parseRecurrence(lines);
  const kept = new Set<IcsProperty>();
  const added = properties.filter((property) => {
    const same = written.find(({ property: own, texts }) => texts.includes(property.line) && !kept.has(own));
    if (same !== undefined) kept.add(same.property);
    return same === undefined;
  });
  return { kept, added, keepsExclusions: !properties.some(({ name }) => name === 'EXDATE') };
}

/** Writes the planned lines, in the value type and zone of `start`. @throws DomainError ValidationFailed */
export function writeRecurrence(event: EditableComponent, plan: RecurrencePlan, start: IcsTime, times: IcsTimes): void {
  for (const property of recurrenceLines(event)) {
    const stays = plan.kept.has(property) || (plan.keepsExclusions && property.name === 'EXDATE');
    if (!stays) event.removeProperty(property);
  }
  for (const property of plan.added) {
    const { value, parameters } = lineLike(property, start, times, { takesPeriods: true });
    event.addProperty(property.name, value, parameters);
  }
}
