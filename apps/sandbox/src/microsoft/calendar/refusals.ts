import { GraphRefusal } from '../contract.js';

/** Refusals in the words of Graph (https://learn.microsoft.com/graph/errors). */

export function itemNotFound(): GraphRefusal {
  return new GraphRefusal(404, 'ErrorItemNotFound', 'The specified object was not found in the store.');
}

export function malformedId(): GraphRefusal {
  return new GraphRefusal(400, 'ErrorInvalidIdMalformed', 'Id is malformed.');
}

export function noMailbox(): GraphRefusal {
  return new GraphRefusal(
    404,
    'MailboxNotEnabledForRESTAPI',
    'The mailbox is either inactive, soft-deleted, or is hosted on-premise.',
  );
}

export function accessDenied(): GraphRefusal {
  return new GraphRefusal(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.');
}

export function invalidRequest(message: string): GraphRefusal {
  return new GraphRefusal(400, 'ErrorInvalidRequest', message);
}

export function invalidParameter(message: string): GraphRefusal {
  return new GraphRefusal(400, 'ErrorInvalidParameter', message);
}

export function invalidProperty(message: string): GraphRefusal {
  return new GraphRefusal(400, 'ErrorPropertyValidationFailure', message);
}

export function invalidQuery(message: string): GraphRefusal {
  return new GraphRefusal(400, 'ErrorInvalidUrlQuery', message);
}

export function invalidFilter(message: string): GraphRefusal {
  return new GraphRefusal(400, 'ErrorInvalidUrlQueryFilter', message);
}

export function unknownTimeZone(name: string): GraphRefusal {
  return new GraphRefusal(
    400,
    'TimeZoneNotSupportedException',
    `A valid TimeZone value must be specified. The following TimeZone value is not supported: '${name.slice(0, 100)}'.`,
  );
}

export function folderExists(): GraphRefusal {
  return new GraphRefusal(409, 'ErrorFolderExists', 'A folder with the specified name already exists.');
}

export function versionConflict(): GraphRefusal {
  return new GraphRefusal(
    412,
    'ErrorIrresolvableConflict',
    'The send or update operation could not be performed because the change key passed in the request does not match the current change key for the item.',
  );
}

export function notOffered(operationId: string): GraphRefusal {
  return new GraphRefusal(501, 'NotImplemented', `The sandbox does not offer ${operationId}.`);
}
