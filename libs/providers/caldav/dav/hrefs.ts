/**
 * A path in the form in which paths are compared: percent-decoded, except that `%2F`, `%25`, control characters and
 * bytes that are no UTF-8 stay escaped (in upper case): two different paths never look alike, and the form can be
 * turned back. Servers differ in what they escape: `%40` or `@`, `%c3` or `%C3` or the bare letter.
 */
export function comparablePath(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      // Each kept escape is protected by an escaped percent sign, which decoding takes away again.
      return decodeURIComponent(
        escapes.replace(/%(2f|25|[01][0-9a-f]|7f)/gi, (_, code: string) => `%25${code.toUpperCase()}`),
      );
    } catch {
      return escapes.toUpperCase();
    }
  });
}

/** The inverse: a path that can be requested. */
export function requestPath(comparable: string): string {
  return comparable.replace(/%(?![0-9A-F]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+/g, (text) =>
    // A lone surrogate has no UTF-8 form; it cannot have come from a path.
    encodeURIComponent(text.toWellFormed()),
  );
}

/** Resolves an href against the URL of the answer it came in; null when it is no http(s) URL. */
export function resolveHref(href: string, base: string | URL): URL | null {
  try {
    const url = new URL(href.trim(), base);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
  } catch {
    return null;
  }
}

/** An href relative to its own origin, the way it is requested and stored. */
export function pathAndQuery({ pathname, search }: URL): string {
  return pathname + search;
}

export function withTrailingSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}
