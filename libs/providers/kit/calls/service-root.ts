/** Returns the root of a configured URL, which may end with slashes or with the path of the service. */
export function serviceRoot(url: string, path: string): string {
  const trimmed = url.replace(/\/+$/, '');
  return trimmed.endsWith(path) ? trimmed.slice(0, -path.length).replace(/\/+$/, '') : trimmed;
}
