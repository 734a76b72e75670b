import { createHash, randomBytes } from 'node:crypto';
import type { Grant } from './grants.js';

const LIFETIME_MS = 10 * 60_000;

/** RFC 7636 §4.3 */
export interface CodeChallenge {
  value: string;
  method: 'S256' | 'plain';
}

/** What a code stands for. */
export interface Authorization {
  clientId: string;
  redirectUri: string;
  challenge: CodeChallenge | null;
  nonce: string | null;
  grant: Grant;
  scopes: ReadonlySet<string>;
  /** `access_type=offline` */
  isOffline: boolean;
  /** The user saw the consent page for it. */
  wasConsentShown: boolean;
}

/** Codes: good for ten minutes, once. */
export class AuthorizationCodes {
  readonly #codes = new Map<string, { authorization: Authorization; expiresAtMs: number; isUsed: boolean }>();

  constructor(private readonly clock: { nowMs(): number }) {}

  issue(authorization: Authorization): string {
    const code = `4/0A${randomBytes(48).toString('base64url')}`;
    this.#codes.set(code, { authorization, expiresAtMs: this.clock.nowMs() + LIFETIME_MS, isUsed: false });
    return code;
  }

  /** Used and expired ones too. */
  find(code: string): Authorization | undefined {
    return this.#codes.get(code)?.authorization;
  }

  isGood(code: string): boolean {
    const found = this.#codes.get(code);
    return (
      found !== undefined &&
      !found.isUsed &&
      this.clock.nowMs() < found.expiresAtMs &&
      !found.authorization.grant.isRevoked
    );
  }

  use(code: string): void {
    const found = this.#codes.get(code);
    if (found !== undefined) found.isUsed = true;
  }

  clear(): void {
    this.#codes.clear();
  }
}

/** RFC 7636 §4.6 */
export function verifiesChallenge({ value, method }: CodeChallenge, verifier: string): boolean {
  return value === (method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url'));
}
