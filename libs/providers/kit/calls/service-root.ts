/**
 * The root that a setting names, without a slash at its end.
 * @param url may end with slashes, or with the path of the service that gave the setting its name
 */
export function serviceRoot(url: string, path: string): string {
  const trimmed = url.replace(/\/+$/, '');
  return trimmed.endsWith(path) ? trimmed.slice(0, -path.length).replace(/\/+$/, '') : trimmed;
}
