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

/** Whether a `Host` header names the host and port of a URL. A port that the scheme implies may be left out. */
export function isAt(url: string, hostHeader: string | undefined): boolean {
  const { protocol, host } = new URL(url);
  // All of it: neither a user nor a path stands in the header.
  return hostHeader !== undefined && URL.parse(`${protocol}//${hostHeader}`)?.href === `${protocol}//${host}/`;
}
