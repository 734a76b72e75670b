/**
 * What a field of type datetime-local holds for an instant: `2026-11-21T14:05`, in the time zone of the browser. '' for
 * what is no instant.
 */
export function toLocalField(instant: string | undefined): string {
  const date = new Date(instant ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The instant that such a field names, ISO 8601 in UTC; '' when it is empty or half filled in. */
export function fromLocalField(field: string): string {
  const date = new Date(field);
  return field === '' || Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
