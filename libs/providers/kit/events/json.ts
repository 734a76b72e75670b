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

/**
 * Whether a caller who says `part` of what was read as `whole` says nothing new: each member is the same or, where
 * something was read since, still empty. Neither classes nor members without a value count.
 */
export function includesJson(whole: unknown, part: unknown): boolean {
  return includes(asJson(whole), asJson(part));
}

function includes(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part)) {
    if (part.length === 0) return true;
    return (
      Array.isArray(whole) && whole.length === part.length && part.every((item, index) => includes(whole[index], item))
    );
  }
  if (typeof part !== 'object' || part === null) return part === whole;
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.entries(part).every(
    ([key, value]) => Object.hasOwn(whole, key) && includes(recordOf(whole)[key], value),
  );
}

function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
