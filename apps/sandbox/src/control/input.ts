/** Invalid input; the message names the place. */
export class ControlFault extends Error {
  override readonly name = 'ControlFault';

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Validates an external value. @throws ControlFault (400) naming `at` */
export type Reader<T> = (value: unknown, at: string) => T;

type Shape = Record<string, Reader<unknown>>;
type Optional<S extends Shape> = { [K in keyof S]: undefined extends ReturnType<S[K]> ? K : never }[keyof S];
/** Result of an {@link object} reader; properties that may be absent are optional. */
type Read<S extends Shape> = { [K in Exclude<keyof S, Optional<S>>]: ReturnType<S[K]> } & {
  [K in Optional<S>]?: ReturnType<S[K]>;
};

/** Accepts exactly these properties. */
export function object<S extends Shape>(shape: S): Reader<Read<S>> {
  return (value, at) => {
    if (!isRecord(value)) throw wrong(at, 'must be an object');
    const stranger = Object.keys(value).find((name) => !Object.hasOwn(shape, name));
    if (stranger !== undefined) throw wrong(inside(at, stranger), 'is unknown');
    const entries = Object.entries(shape).map(([name, read]) => {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      return [name, read(given, inside(at, name))] as const;
    });
    return Object.fromEntries(entries.filter(([, read]) => read !== undefined)) as Read<S>;
  };
}

export function optional<T>(read: Reader<T>): Reader<T | undefined> {
  return (value, at) => (value === undefined ? undefined : read(value, at));
}

/** Accepts null, which differs from an absent value. */
export function nullable<T>(read: Reader<T>): Reader<T | null> {
  return (value, at) => (value === null ? null : read(value, at));
}

export function list<T>(read: Reader<T>): Reader<T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) throw wrong(at, 'must be a list');
    return value.map((item, index) => read(item, `${at}[${index}]`));
  };
}

export function map<T>(read: Reader<T>): Reader<Record<string, T>> {
  return (value, at) => {
    if (!isRecord(value)) throw wrong(at, 'must be an object');
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, read(item, inside(at, name))]));
  };
}

export function oneOf<const T extends string>(values: readonly T[]): Reader<T> {
  return (value, at) => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw wrong(at, `must be one of ${values.join(', ')}`);
    return found;
  };
}

export const text: Reader<string> = (value, at) => {
  if (typeof value !== 'string' || value === '') throw wrong(at, 'must be a text that is not empty');
  return value;
};

export const flag: Reader<boolean> = (value, at) => {
  if (typeof value !== 'boolean') throw wrong(at, 'must be true or false');
  return value;
};

export const anything: Reader<unknown> = (value) => value;

export function integer(minimum: number, maximum: number): Reader<number> {
  return (value, at) => {
    if (!Number.isInteger(value) || Number(value) < minimum || Number(value) > maximum) {
      throw wrong(at, `must be an integer from ${minimum} to ${maximum}`);
    }
    return Number(value);
  };
}

/** Milliseconds, at most an hour. */
export const pauseMs = integer(0, 3_600_000);

export function textLike(accepts: (value: string) => boolean, what: string): Reader<string> {
  return (value, at) => {
    if (typeof value !== 'string' || !accepts(value)) throw wrong(at, `must be ${what}`);
    return value;
  };
}

export const redirectUri = textLike(
  (uri) => URL.canParse(uri) && !uri.includes('#'),
  'an absolute URI without a fragment',
);

export function wrong(at: string, problem: string): ControlFault {
  return new ControlFault(400, `${at === '' ? 'the body' : at} ${problem}.`);
}

function inside(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
