import { isDeepStrictEqual } from 'node:util';

/** The object that a piece of somebody else's JSON should be; an empty one for anything else. */
export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** What the provider sent in the place of a text; undefined when it is none, or an empty one. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The elements of a list; none when it is something else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The texts of a list. */
export function textsOf(value: unknown): string[] {
  return listOf(value).flatMap((element) => textOf(element) ?? []);
}

/** Whether both are the same once they go over the wire: neither classes nor members without a value count. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(asJson(one), asJson(other));
}

function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
