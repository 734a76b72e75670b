import { isDeepStrictEqual } from 'node:util';

/**
 * What a PATCH says to make one resource of another: objects are merged, everything else is replaced, null takes a
 * member out (RFC 7396, which is what the Calendar API means by patch).
 * @returns an empty object when they are the same
 */
export function patchBetween(before: object, after: object): Record<string, unknown> {
  const [old, now] = [new Map(entriesOf(before)), new Map(entriesOf(after))];
  const dropped = [...old.keys()].filter((key) => !now.has(key)).map((key) => [key, null] as const);
  const written = [...now].flatMap(([key, value]) => {
    const present = old.get(key);
    if (isDeepStrictEqual(present, value)) return [];
    return [[key, isObject(present) && isObject(value) ? patchBetween(present, value) : value] as const];
  });
  return Object.fromEntries([...dropped, ...written]);
}

/** Members that are null are not there. */
function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member != null);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
