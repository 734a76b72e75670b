/** Returns the value of a datetime-local field, `2026-11-21T14:05` in browser time; '' for an invalid instant. */
export function toLocalField(instant: string | undefined): string {
  const date = new Date(instant ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Returns the instant of such a field, ISO 8601 in UTC; '' when the field is empty or incomplete. */
export function fromLocalField(field: string): string {
  const date = new Date(field);
  return field === '' || Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
