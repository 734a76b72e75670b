/** @param path to return to, below /dashboard */
export function signInPath(path: string): string {
  return path === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ returnTo: path }).toString()}`;
}

/** Allows local paths only, because anyone can edit the URL. */
export function returnPath(search: URLSearchParams): string {
  const path = search.get('returnTo') ?? '/';
  return /^\/(?![/\\])/.test(path) && !path.startsWith('/sign-in') ? path : '/';
}
