import type { Request } from 'express';

/** The value of a cookie; null when the request has none of this name, or more than one: whose it is would be a guess. */
export function oneCookie({ headers }: Request, name: string): string | null {
  const prefix = `${name}=`;
  const [value, ...others] = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
  return value !== undefined && others.length === 0 ? value : null;
}
