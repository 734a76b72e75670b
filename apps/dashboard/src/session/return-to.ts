/** The sign-in page that leads back to `path` (below /dashboard). */
export function signInPath(path: string): string {
  return path === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ returnTo: path }).toString()}`;
}

/** Where to go after the sign-in: a page of ours whatever the address says, since anybody can make up an address. */
export function returnPath(search: URLSearchParams): string {
  const path = search.get('returnTo') ?? '/';
  return /^\/(?![/\\])/.test(path) && !path.startsWith('/sign-in') ? path : '/';
}
