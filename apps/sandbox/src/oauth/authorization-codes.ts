import { randomBytes } from 'node:crypto';

const LIFETIME_MS = 10 * 60_000;

interface Code<Authorization> {
  authorization: Authorization;
  expiresAtMs: number;
  isUsed: boolean;
}

/** Codes (RFC 6749 §4.1.2), valid once and for ten minutes. */
export class AuthorizationCodes<Authorization> {
  readonly #codes = new Map<string, Code<Authorization>>();

  constructor(
    private readonly clock: { nowMs(): number },
    private readonly prefix: string,
  ) {}

  issue(authorization: Authorization): string {
    const code = `${this.prefix}${randomBytes(48).toString('base64url')}`;
    this.#codes.set(code, { authorization, expiresAtMs: this.clock.nowMs() + LIFETIME_MS, isUsed: false });
    return code;
  }

  /** Also finds used and expired codes. */
  find(code: string): Code<Authorization> | undefined {
    return this.#codes.get(code);
  }

  clear(): void {
    this.#codes.clear();
  }
}
