import type { FreeBusyStatus } from '@microsoft/microsoft-graph-types';
import { invalid, type EventInput } from '#domain';
import { readEventType, readTransparency } from './event-mapper.js';
import type { OutlookEvent } from './outlook-event.js';

/**
 * Graph has one field, `showAs`, for type and transparency. `marker` is the value of our property `ucEventType`. Either is
 * left out when it stays.
 * @throws DomainError ValidationFailed for an absence that takes up no time
 */
export function changedAvailability(
  input: EventInput,
  current: OutlookEvent | null,
): { showAs?: FreeBusyStatus; marker?: string } {
  const before = {
    type: current === null ? ('default' as const) : readEventType(current),
    transparency: current === null ? ('opaque' as const) : readTransparency(current.raw),
  };
  const type = input.eventType === undefined ? before.type : (input.eventType ?? 'default');
  const asked = input.transparency === undefined ? undefined : (input.transparency ?? 'opaque');
  if (type !== 'default' && asked === 'transparent') {
    throw invalid('transparency', `must be opaque for an event of type ${type}`);
  }
  const transparency = type === 'default' ? (asked ?? before.transparency) : 'opaque';
  const marker = type === 'focusTime' ? 'focusTime' : '';
  const isMarked = (current?.own.get('ucEventType') ?? '') === marker;
  // Tentative and working elsewhere stay while they take up time as asked.
  const isSame = current !== null && type === before.type && transparency === before.transparency;
  return {
    ...(!isSame && { showAs: type === 'outOfOffice' ? 'oof' : transparency === 'transparent' ? 'free' : 'busy' }),
    ...(!isMarked && { marker }),
  };
}
