/** The API enforces the same limits. */
export const LEAST_PASSWORD_LENGTH = 12;
const MOST_PASSWORD_LENGTH = 256;

/** null when the password is valid. */
export function passwordFault(password: string): string | null {
  const length = [...password].length;
  if (length < LEAST_PASSWORD_LENGTH) return `It has ${length} of at least ${LEAST_PASSWORD_LENGTH} characters.`;
  return length > MOST_PASSWORD_LENGTH ? `It may have ${MOST_PASSWORD_LENGTH} characters at most.` : null;
}
