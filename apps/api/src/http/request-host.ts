/** Whether a `Host` header names the host and port of a URL. A port that the scheme implies may be left out. */
export function isAt(url: string, hostHeader: string | undefined): boolean {
  const { protocol, host } = new URL(url);
  // All of it: neither a user nor a path stands in the header.
  return hostHeader !== undefined && URL.parse(`${protocol}//${hostHeader}`)?.href === `${protocol}//${host}/`;
}
