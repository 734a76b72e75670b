import { GoogleRefusal } from '../contract.js';

/**
 * What the Calendar API refuses, in its words
 * (https://developers.google.com/workspace/calendar/api/guides/errors).
 */

/** A value that cannot be. `location` names the query parameter, when it is one. */
export function invalid(message: string, location?: string): GoogleRefusal {
  return new GoogleRefusal(400, {
    domain: 'global',
    reason: 'invalid',
    message,
    ...(location === undefined ? {} : { locationType: 'parameter', location }),
  });
}

export function required(message: string): GoogleRefusal {
  return new GoogleRefusal(400, { domain: 'global', reason: 'required', message });
}

/** A 400 of the calendar's own domain: `timeRangeEmpty` and its like. */
export function badCalendarRequest(reason: string, message: string, location?: string): GoogleRefusal {
  return new GoogleRefusal(400, {
    domain: 'calendar',
    reason,
    message,
    ...(location === undefined ? {} : { locationType: 'parameter', location }),
  });
}

export function timeRangeEmpty(location?: string): GoogleRefusal {
  return badCalendarRequest('timeRangeEmpty', 'The specified time range is empty.', location);
}

export function eventTypeRestriction(message: string): GoogleRefusal {
  return badCalendarRequest('eventTypeRestriction', message);
}

export function notFound(message = 'Not Found'): GoogleRefusal {
  return new GoogleRefusal(404, { domain: 'global', reason: 'notFound', message });
}

export function forbidden(message = 'Forbidden'): GoogleRefusal {
  return new GoogleRefusal(403, { domain: 'global', reason: 'forbidden', message });
}

export function requiredAccessLevel(role: 'writer' | 'owner'): GoogleRefusal {
  return new GoogleRefusal(403, {
    domain: 'calendar',
    reason: 'requiredAccessLevel',
    message: `You need to have ${role} access to this calendar.`,
  });
}

export function forbiddenForNonOrganizer(): GoogleRefusal {
  return new GoogleRefusal(403, {
    domain: 'calendar',
    reason: 'forbiddenForNonOrganizer',
    message: 'Shared properties can only be changed by the organizer of the event.',
  });
}

export function duplicate(): GoogleRefusal {
  return new GoogleRefusal(409, {
    domain: 'global',
    reason: 'duplicate',
    message: 'The requested identifier already exists.',
  });
}

export function alreadyDeleted(): GoogleRefusal {
  return new GoogleRefusal(410, { domain: 'global', reason: 'deleted', message: 'Resource has been deleted' });
}

export function fullSyncRequired(): GoogleRefusal {
  return new GoogleRefusal(410, {
    domain: 'calendar',
    reason: 'fullSyncRequired',
    message: 'Sync token is no longer valid, a full sync is required.',
    locationType: 'parameter',
    location: 'syncToken',
  });
}

export function conditionNotMet(): GoogleRefusal {
  return new GoogleRefusal(412, {
    domain: 'global',
    reason: 'conditionNotMet',
    message: 'Precondition Failed',
    locationType: 'header',
    location: 'If-Match',
  });
}

/** What this sandbox does not have. No client of ours may depend on it. */
export function notOffered(what: string): GoogleRefusal {
  return new GoogleRefusal(501, {
    domain: 'global',
    reason: 'notImplemented',
    message: `The sandbox does not offer ${what}.`,
  });
}

/** A 400 about a push channel. */
export function badChannel(reason: string, message: string): GoogleRefusal {
  return new GoogleRefusal(400, { domain: 'global', reason, message });
}
