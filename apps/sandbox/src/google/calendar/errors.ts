import { GoogleRefusal, type GoogleErrorItem } from '../contract.js';

/** Refusals in the words of the Calendar API (https://developers.google.com/workspace/calendar/api/guides/errors). */
function refusal(
  status: number,
  reason: string,
  message: string,
  { domain = 'global', ...where }: Partial<GoogleErrorItem> = {},
): GoogleRefusal {
  return new GoogleRefusal(status, { domain, reason, message, ...where });
}

const inParameter = (location: string | undefined): Partial<GoogleErrorItem> =>
  location === undefined ? {} : { locationType: 'parameter', location };

/** Invalid value. `location` names a query parameter. */
export const invalid = (message: string, location?: string): GoogleRefusal =>
  refusal(400, 'invalid', message, inParameter(location));

export const required = (message: string): GoogleRefusal => refusal(400, 'required', message);

/** A 400 of the calendar domain, such as `timeRangeEmpty`. */
export const badCalendarRequest = (reason: string, message: string, location?: string): GoogleRefusal =>
  refusal(400, reason, message, { domain: 'calendar', ...inParameter(location) });

export const timeRangeEmpty = (location?: string): GoogleRefusal =>
  badCalendarRequest('timeRangeEmpty', 'The specified time range is empty.', location);

export const eventTypeRestriction = (message: string): GoogleRefusal =>
  badCalendarRequest('eventTypeRestriction', message);

export const notFound = (message = 'Not Found'): GoogleRefusal => refusal(404, 'notFound', message);

export const forbidden = (message = 'Forbidden'): GoogleRefusal => refusal(403, 'forbidden', message);

export const requiredAccessLevel = (role: 'writer' | 'owner'): GoogleRefusal =>
  refusal(403, 'requiredAccessLevel', `You need to have ${role} access to this calendar.`, { domain: 'calendar' });

export const forbiddenForNonOrganizer = (): GoogleRefusal =>
  refusal(403, 'forbiddenForNonOrganizer', 'Shared properties can only be changed by the organizer of the event.', {
    domain: 'calendar',
  });

export const duplicate = (): GoogleRefusal => refusal(409, 'duplicate', 'The requested identifier already exists.');

export const alreadyDeleted = (): GoogleRefusal => refusal(410, 'deleted', 'Resource has been deleted');

export const fullSyncRequired = (): GoogleRefusal =>
  refusal(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.', {
    domain: 'calendar',
    ...inParameter('syncToken'),
  });

export const conditionNotMet = (): GoogleRefusal =>
  refusal(412, 'conditionNotMet', 'Precondition Failed', { locationType: 'header', location: 'If-Match' });

/** Not available in this sandbox; the service must not depend on it. */
export const notOffered = (what: string): GoogleRefusal =>
  refusal(501, 'notImplemented', `The sandbox does not offer ${what}.`);

export const badChannel = (reason: string, message: string): GoogleRefusal => refusal(400, reason, message);
