import { invalid, type EditScope } from '#domain';

/**
 * What of a series an edit is for; of an instance itself when the caller does not say.
 * @throws DomainError ValidationFailed
 */
export function scopeOf(
  { seriesId, isSeries }: { seriesId: string | null; isSeries: boolean },
  asked: EditScope | undefined,
): EditScope {
  if (seriesId !== null) return asked ?? 'this';
  if (asked === 'this' && isSeries) throw invalid('scope', 'this needs the id of an instance');
  return 'all';
}
