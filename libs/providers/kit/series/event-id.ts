import { DomainError } from '#domain';

/** From the right: ids of providers hold underscores of their own. */
const INSTANCE_ID = /^(.+)_(\d{8}(?:t\d{6}z)?)$/is;

/** `<seriesId>_<date>` taken apart; null for an id of another form. */
export function splitInstanceId(id: string): { seriesId: string; date: string } | null {
  const [, seriesId, date] = INSTANCE_ID.exec(id) ?? [];
  return seriesId === undefined || date === undefined ? null : { seriesId, date: date.toUpperCase() };
}

export function eventNotFound(): DomainError {
  return new DomainError('NotFound', 'There is no event with this id in the calendar.');
}
