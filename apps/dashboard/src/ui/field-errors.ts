import type { ApiError } from '../api/index.js';

export interface FieldErrors<Field extends string> {
  /** What an input says of itself. */
  of: Partial<Record<Field, string>>;
  /** What no input of the form is to blame for: goes into an `ErrorNote`. */
  other: ApiError | null;
}

/** Says an error once: at the one of `fields` that is to blame, or beside the form. */
export function fieldErrors<Field extends string>(error: ApiError | null, ...fields: Field[]): FieldErrors<Field> {
  const field = fields.find((name) => name === error?.field);
  if (error === null || field === undefined) return { of: {}, other: error };
  return { of: { [field]: error.message } as Partial<Record<Field, string>>, other: null };
}
