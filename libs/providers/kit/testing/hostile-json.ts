import fc from 'fast-check';
import { DomainError } from '#domain/system';

type Path = readonly string[];

const ODD_VALUES = [
  ...[null, undefined, '', 'x', 0, -1, NaN, 9e15, true, [], {}, [null], [[]], { length: 5 }, '__proto__', '\u0000'],
  ...['\ud800', 'Nowhere/City', 'RRULE:', ['RRULE:'], [1], ['EXDATE;TZID=Nope:x'], { date: '2026-13-01' }],
  ...['9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z', '-000001-01-01T00:00:00Z', '2026-02-30T00:00:00Z'],
  ...['9999-12-31', '0000-00-00', 'singleInstance', 'occurrence', 'exception', 'cancelled', 'numbered', 'noEnd'],
];

/** Requires `read` to work or to fail with a DomainError for copies of `json` with one to four odd values. */
export function expectReadable(json: object, read: (hostile: object) => unknown): void {
  const place = fc.constantFrom(...placesIn(json));
  const odd = fc.oneof(fc.constantFrom<unknown>(...ODD_VALUES), fc.anything({ maxDepth: 2 }));
  const changes = fc.array(fc.tuple(place, odd), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(changes, (changed) => {
      const hostile = structuredClone(json);
      // Copies: a later change may lie within the value of an earlier one, and the odd values are those of every run.
      for (const [path, value] of changed) put(hostile, path, structuredClone(value));
      try {
        read(hostile);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
      }
    }),
    { numRuns: 2_000 },
  );
}

function placesIn(value: unknown, path: Path = []): Path[] {
  const here = path.length === 0 ? [] : [path];
  if (typeof value !== 'object' || value === null) return here;
  return [...here, ...Object.entries(value).flatMap(([name, member]) => placesIn(member, [...path, name]))];
}

function put(json: object, path: Path, value: unknown): void {
  const [name, ...rest] = path;
  const target = json as Record<string, unknown>;
  // JSON has no holes.
  if (Array.isArray(json)) while (json.length < Number(name)) json.push(null);
  if (rest.length === 0) target[name!] = value;
  else if (typeof target[name!] === 'object' && target[name!] !== null) put(target[name!] as object, rest, value);
}
