import { createHash } from 'node:crypto';

/** RFC 7636 §4.3 */
export interface CodeChallenge {
  value: string;
  method: 'S256' | 'plain';
}

/** RFC 7636 §4.2 */
export function isWellFormedChallenge({ value, method }: CodeChallenge): boolean {
  return method === 'S256' ? /^[\w-]{43}$/.test(value) : /^[\w.~-]{43,128}$/.test(value);
}

/** RFC 7636 §4.6 */
export function verifiesChallenge({ value, method }: CodeChallenge, verifier: string): boolean {
  return value === (method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url'));
}
