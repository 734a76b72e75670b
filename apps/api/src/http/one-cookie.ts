import type { Request } from 'express';

/** Returns null when the request has several cookies of this name: their owner would be a guess. */
export function oneCookie({ headers }: Request, name: string): string | null {
  const prefix = `${name}=`;
  const [value, ...others] = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
  return value !== undefined && others.length === 0 ? value : null;
}
