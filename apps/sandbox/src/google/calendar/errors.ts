import { GoogleErrorResponse, type GoogleErrorItem } from '../contract.js';

/** Refusals in the words of the Calendar API (https://developers.google.com/workspace/calendar/api/guides/errors). */
function refusal(
  status: number,
  reason: string,
  message: string,
  { domain = 'global', ...where }: Partial<GoogleErrorItem> = {},
): GoogleErrorResponse {
  return new GoogleErrorResponse(status, { domain, reason, message, ...where });
}

const inParameter = (location: string | undefined): Partial<GoogleErrorItem> =>
  location === undefined ? {} : { locationType: 'parameter', location };

/** Invalid value. `location` names a query parameter. */
export const invalid = (message: string, location?: string): GoogleErrorResponse =>
  refusal(400, 'invalid', message, inParameter(location));

export const required = (message: string): GoogleErrorResponse => refusal(400, 'required', message);

/** A 400 of the calendar domain, such as `timeRangeEmpty`. */
export const badCalendarRequest = (reason: string, message: string, location?: string): GoogleErrorResponse =>
  refusal(400, reason, message, { domain: 'calendar', ...inParameter(location) });

export const timeRangeEmpty = (location?: string): GoogleErrorResponse =>
  badCalendarRequest('timeRangeEmpty', 'The specified time range is empty.', location);

export const eventTypeRestriction = (message: string): GoogleErrorResponse =>
  badCalendarRequest('eventTypeRestriction', message);

export const notFound = (message = 'Not Found'): GoogleErrorResponse => refusal(404, 'notFound', message);

export const forbidden = (message = 'Forbidden'): GoogleErrorResponse => refusal(403, 'forbidden', message);

export const requiredAccessLevel = (role: 'writer' | 'owner'): GoogleErrorResponse =>
  refusal(403, 'requiredAccessLevel', `You need to have ${role} access to this calendar.`, { domain: 'calendar' });

export const forbiddenForNonOrganizer = (): GoogleErrorResponse =>
  refusal(403, 'forbiddenForNonOrganizer', 'Shared properties can only be changed by the organizer of the event.', {
    domain: 'calendar',
  });

export const duplicate = (): GoogleErrorResponse =>
  refusal(409, 'duplicate', 'The requested identifier already exists.');

export const alreadyDeleted = (): GoogleErrorResponse => refusal(410, 'deleted', 'Resource has been deleted');

export const fullSyncRequired = (): GoogleErrorResponse =>
  refusal(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.', {
    domain: 'calendar',
    ...inParameter('syncToken'),
  });

export const conditionNotMet = (): GoogleErrorResponse =>
  refusal(412, 'conditionNotMet', 'Precondition Failed', { locationType: 'header', location: 'If-Match' });

/** Not available in this sandbox; the service must not depend on it. */
export const notOffered = (what: string): GoogleErrorResponse =>
  refusal(501, 'notImplemented', `The sandbox does not offer ${what}.`);

export const badChannel = (reason: string, message: string): GoogleErrorResponse => refusal(400, reason, message);
