/** Returns an empty object for anything but an object. */
export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Returns undefined for anything but a text, and for an empty one. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns an ETag that a header can carry; null for anything else. */
export function etagOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\x20-\x7e\x80-\xff]{1,1000}$/.test(value) ? value : null;
}

/** Returns an empty list for anything but a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textsOf(value: unknown): string[] {
  return listOf(value).flatMap((element) => textOf(element) ?? []);
}

/** Whether `part` adds nothing to `whole`: each member is equal or an empty list. Compares both as JSON. */
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
