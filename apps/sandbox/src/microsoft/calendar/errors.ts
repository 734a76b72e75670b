import { GraphRefusal } from '../contract.js';

/** Refusals in Graph's words (https://learn.microsoft.com/graph/errors). */

const badRequest =
  (code: string) =>
  (message: string): GraphRefusal =>
    new GraphRefusal(400, code, message);

export const invalidRequest = badRequest('ErrorInvalidRequest');
export const invalidParameter = badRequest('ErrorInvalidParameter');
export const invalidProperty = badRequest('ErrorPropertyValidationFailure');
export const invalidQuery = badRequest('ErrorInvalidUrlQuery');
export const invalidFilter = badRequest('ErrorInvalidUrlQueryFilter');

export const malformedId = (): GraphRefusal => new GraphRefusal(400, 'ErrorInvalidIdMalformed', 'Id is malformed.');

export const unknownTimeZone = (name: string): GraphRefusal =>
  new GraphRefusal(
    400,
    'TimeZoneNotSupportedException',
    `A valid TimeZone value must be specified. The following TimeZone value is not supported: '${name.slice(0, 100)}'.`,
  );

export const accessDenied = (): GraphRefusal =>
  new GraphRefusal(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.');

export const itemNotFound = (): GraphRefusal =>
  new GraphRefusal(404, 'ErrorItemNotFound', 'The specified object was not found in the store.');

export const noMailbox = (): GraphRefusal =>
  new GraphRefusal(
    404,
    'MailboxNotEnabledForRESTAPI',
    'The mailbox is either inactive, soft-deleted, or is hosted on-premise.',
  );

export const folderExists = (): GraphRefusal =>
  new GraphRefusal(409, 'ErrorFolderExists', 'A folder with the specified name already exists.');

export const versionConflict = (): GraphRefusal =>
  new GraphRefusal(
    412,
    'ErrorIrresolvableConflict',
    'The send or update operation could not be performed because the change key passed in the request does not match the current change key for the item.',
  );

export const notOffered = (what: string): GraphRefusal =>
  new GraphRefusal(501, 'NotImplemented', `The sandbox does not offer ${what}.`);
