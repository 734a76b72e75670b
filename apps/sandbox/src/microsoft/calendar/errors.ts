import { GraphErrorResponse } from '../contract.js';

/** Refusals in Graph's words (https://learn.microsoft.com/graph/errors). */

const badRequest =
  (code: string) =>
  (message: string): GraphErrorResponse =>
    new GraphErrorResponse(400, code, message);

export const invalidRequest = badRequest('ErrorInvalidRequest');
export const invalidParameter = badRequest('ErrorInvalidParameter');
export const invalidProperty = badRequest('ErrorPropertyValidationFailure');
export const invalidQuery = badRequest('ErrorInvalidUrlQuery');
export const invalidFilter = badRequest('ErrorInvalidUrlQueryFilter');

export const malformedId = (): GraphErrorResponse =>
  new GraphErrorResponse(400, 'ErrorInvalidIdMalformed', 'Id is malformed.');

export const unknownTimeZone = (name: string): GraphErrorResponse =>
  new GraphErrorResponse(
    400,
    'TimeZoneNotSupportedException',
    `A valid TimeZone value must be specified. The following TimeZone value is not supported: '${name.slice(0, 100)}'.`,
  );

export const accessDenied = (): GraphErrorResponse =>
  new GraphErrorResponse(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.');

export const itemNotFound = (): GraphErrorResponse =>
  new GraphErrorResponse(404, 'ErrorItemNotFound', 'The specified object was not found in the store.');

export const noMailbox = (): GraphErrorResponse =>
  new GraphErrorResponse(
    404,
    'MailboxNotEnabledForRESTAPI',
    'The mailbox is either inactive, soft-deleted, or is hosted on-premise.',
  );

export const folderExists = (): GraphErrorResponse =>
  new GraphErrorResponse(409, 'ErrorFolderExists', 'A folder with the specified name already exists.');

export const versionConflict = (): GraphErrorResponse =>
  new GraphErrorResponse(
    412,
    'ErrorIrresolvableConflict',
    'The send or update operation could not be performed because the change key passed in the request does not match the current change key for the item.',
  );

export const notOffered = (what: string): GraphErrorResponse =>
  new GraphErrorResponse(501, 'NotImplemented', `The sandbox does not offer ${what}.`);
