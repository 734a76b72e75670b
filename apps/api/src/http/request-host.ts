/** Whether a `Host` header names the host and port of a URL. A port that the scheme implies may be left out. */
export function isAt(url: string, hostHeader: string | undefined): boolean {
  const { protocol, host } = new URL(url);
  return hostHeader !== undefined && URL.parse(`${protocol}//${hostHeader}`)?.host === host;
}
