/**
 * Returns a path in comparable form. Servers escape differently: `%40` or `@`, `%c3` or `%C3` or the bare letter.
 * The form is percent-decoded, except `%2F`, `%25`, control characters and bytes that are no UTF-8, which stay escaped
 * in upper case. So the form is reversible, and different paths stay different.
 */
export function comparablePath(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      // An escaped percent sign protects each kept escape; decoding removes it again.
      return decodeURIComponent(
        escapes.replace(/%(2f|25|[01][0-9a-f]|7f)/gi, (_, code: string) => `%25${code.toUpperCase()}`),
      );
    } catch {
      return escapes.toUpperCase();
    }
  });
}

export function requestPath(comparable: string): string {
  return comparable.replace(/%(?![0-9A-F]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+/g, (text) =>
    // A lone surrogate has no UTF-8 form and cannot come from a path.
    encodeURIComponent(text.toWellFormed()),
  );
}

/** Resolves an href against the URL of its response; null when the result is no http(s) URL. */
export function resolveHref(href: string, base: string | URL): URL | null {
  try {
    const url = new URL(href.trim(), base);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
  } catch {
    return null;
  }
}

/** An href relative to its own origin, as requested and stored. */
export function pathAndQuery({ pathname, search }: URL): string {
  return pathname + search;
}

export function withTrailingSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}
