import { DomainError } from '#domain';
import { isForeignKeyViolation } from '../database/database-errors.js';

export function noSuchApplication(): DomainError {
  return new DomainError('NotFound', 'There is no application with this id.');
}

export function noSuchAccount(): DomainError {
  return new DomainError('NotFound', 'There is no end user account with this id.');
}

/** @throws DomainError NotFound when the row refers to no application */
export async function ofApplication<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isForeignKeyViolation(error)) throw noSuchApplication();
    throw error;
  }
}
