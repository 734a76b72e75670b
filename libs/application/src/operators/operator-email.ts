/** As addresses of operators are kept and compared. */
export function canonicalEmail(email: string): string {
  return email.toLowerCase();
}
