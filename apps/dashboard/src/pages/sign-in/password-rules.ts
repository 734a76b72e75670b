/** The API enforces the same limits. */
export const MIN_PASSWORD_LENGTH = 12;
const MAX_PASSWORD_LENGTH = 256;

/** null when the password is valid. */
export function passwordError(password: string): string | null {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) return `It has ${length} of at least ${MIN_PASSWORD_LENGTH} characters.`;
  return length > MAX_PASSWORD_LENGTH ? `It may have ${MAX_PASSWORD_LENGTH} characters at most.` : null;
}
