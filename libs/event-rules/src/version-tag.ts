/** Entity tag as the public interface shows it: without quote marks and weakness mark. */
export function plainEtag(etag: string): string {
  return etag
    .trim()
    .replace(/^W\//i, '')
    .replace(/^"+(.*?)"+$/s, '$1');
}

/** Whether an `If-Match` (RFC 9110 §13.1.1) of a caller, whose tags are plain ones, names the version of an event. */
export function namesVersion(ifMatch: string, etag: string | null): boolean {
  if (ifMatch.trim() === '*') return true;
  return etag !== null && ifMatch.split(',').some((one) => plainEtag(one) === plainEtag(etag));
}
