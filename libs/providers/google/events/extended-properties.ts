import type { EventInput, ExtendedProperties } from '#domain/events';
import { invalid } from '#domain/system';
import { EXACT_COLOR } from './event-colors.js';

/** Google silently drops longer keys and cuts longer values (Calendar API guide, Extended properties). */
const MAX_KEY = 44;
const MAX_VALUE = 1_024;

export function visibleProperties(properties: ExtendedProperties): ExtendedProperties {
  if (!Object.hasOwn(properties, EXACT_COLOR)) return properties;
  const { [EXACT_COLOR]: _, ...visible } = properties;
  return visible;
}

/**
 * Builds a PATCH that sets exactly the wanted keys: Google merges keys, and null removes one.
 * @returns null when nothing changes
 * @throws DomainError ValidationFailed
 */
export function propertiesPatch(
  path: 'publicExtendedProperties' | 'privateExtendedProperties',
  input: EventInput,
  current: ExtendedProperties,
): Record<string, string | null> | null {
  const wanted = input[path];
  if (wanted === undefined) return null;
  const entries = Object.entries(wanted ?? {});
  for (const [key, value] of entries) check(path, key, value);
  const kept = new Set(entries.map(([key]) => key));
  const dropped = Object.keys(current).filter((key) => !kept.has(key));
  const written = entries.filter(([key, value]) => !Object.hasOwn(current, key) || current[key] !== value);
  if (dropped.length === 0 && written.length === 0) return null;
  return Object.fromEntries([...dropped.map((key) => [key, null] as const), ...written]);
}

function check(path: string, key: string, value: string): void {
  if (key.length > MAX_KEY) throw invalid(`${path}.${key}`, `the key must not have more than ${MAX_KEY} characters`);
  if (value.length > MAX_VALUE) throw invalid(`${path}.${key}`, `must not have more than ${MAX_VALUE} characters`);
  if (key === EXACT_COLOR) throw invalid(`${path}.${key}`, 'is a name that this service keeps for itself');
}
