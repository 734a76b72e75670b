import type { Calendar as GraphCalendar } from '@microsoft/microsoft-graph-types';
import { nonsense } from './errors.js';

/** A calendar on the account's list, with our own properties of it. */
export type OutlookCalendar = GraphCalendar & { id: string };

/** @throws DomainError ProviderUnavailable, for what is no calendar */
export function outlookCalendar(value: unknown): OutlookCalendar {
  const entry = value as OutlookCalendar | null | undefined;
  if (typeof entry !== 'object' || typeof entry?.id !== 'string' || entry.id === '') throw nonsense();
  return entry;
}

export function isPrimary({ isDefaultCalendar }: OutlookCalendar): boolean {
  return isDefaultCalendar === true;
}
