import { randomBytes } from 'node:crypto';

const LIFETIME_MS = 10 * 60_000;

export type CodeState = 'good' | 'used' | 'expired';

/** Codes (RFC 6749 §4.1.2) and what they stand for: good for ten minutes, once. */
export class AuthorizationCodes<Authorization> {
  readonly #codes = new Map<string, { authorization: Authorization; expiresAtMs: number; isUsed: boolean }>();

  constructor(
    private readonly clock: { nowMs(): number },
    private readonly prefix: string,
  ) {}

  issue(authorization: Authorization): string {
    const code = `${this.prefix}${randomBytes(48).toString('base64url')}`;
    this.#codes.set(code, { authorization, expiresAtMs: this.clock.nowMs() + LIFETIME_MS, isUsed: false });
    return code;
  }

  /** Used and expired ones too. */
  find(code: string): Authorization | undefined {
    return this.#codes.get(code)?.authorization;
  }

  /** @returns undefined for a code that never was */
  stateOf(code: string): CodeState | undefined {
    const found = this.#codes.get(code);
    if (found === undefined) return undefined;
    if (found.isUsed) return 'used';
    return this.clock.nowMs() < found.expiresAtMs ? 'good' : 'expired';
  }

  use(code: string): void {
    const found = this.#codes.get(code);
    if (found !== undefined) found.isUsed = true;
  }

  clear(): void {
    this.#codes.clear();
  }
}
