import { invalid } from '#domain';

/**
 * A query string has to be UTF-8 once decoded: the lenient parser would turn half of a surrogate pair, or any other
 * broken bytes, into replacement characters and search for those.
 * @throws DomainError ValidationFailed
 */
export function assertDecodableQuery(url: string): void {
  const start = url.indexOf('?');
  if (start === -1 || url.indexOf('%', start) === -1) return;
  try {
    decodeURIComponent(url.slice(start + 1));
  } catch (error) {
    if (error instanceof URIError) throw invalid('', 'The query string is not valid.');
    throw error;
  }
}
