/** Entity tag as the public interface shows it: without quote marks and weakness mark. */
export function plainEtag(etag: string): string {
  const text = etag.trim().replace(/^W\//i, '');
  // By hand, since callers write tags: an expression that looks for both ends takes cubic time for a row of quote marks.
  let marks = 0;
  while (2 * marks + 1 < text.length && text[marks] === '"' && text.at(-1 - marks) === '"') marks += 1;
  return text.slice(marks, text.length - marks);
}

/** Whether an `If-Match` (RFC 9110 §13.1.1) of a caller, whose tags are plain ones, names the version of an event. */
export function namesVersion(ifMatch: string, etag: string | null): boolean {
  if (ifMatch.trim() === '*') return true;
  return etag !== null && ifMatch.split(',').some((one) => plainEtag(one) === plainEtag(etag));
}
