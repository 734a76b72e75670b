import { randomBytes, randomUUID } from 'node:crypto';
import type { Memory } from '../state/memory.js';

export const ACCESS_TOKEN_SECONDS = 3599;

/** Token properties of one provider. */
export interface TokenRules<User> {
  accessTokenPrefix: string;
  refreshTokenPrefix: string;
  /** Lifetime of an unused refresh token. */
  unusedForMs: number;
  /** Maximum number of live refresh tokens of a grant; older ones end silently. */
  liveRefreshTokens: number;
  /** True when a refresh token has ended for a provider-specific reason. */
  hasEnded(token: RefreshToken<unknown>, nowMs: number): boolean;
  /** False ends the tokens of a deleted client. */
  hasClient(clientId: string): boolean;
  /** Unique while the account exists. */
  addressOf(user: User): string;
}

/** Consent of one user for one client. Every token refers to it and ends with it. */
export interface Grant<User> {
  readonly key: string;
  readonly user: User;
  readonly clientId: string;
  readonly scopes: Set<string>;
  /** Scopes that the client requested, granted or not. */
  readonly asked: Set<string>;
  isRevoked: boolean;
}

/** Stored form, with the key of the grant. */
type Kept<Token extends { grant: unknown }> = Omit<Token, 'grant'> & { grantKey: string };

export interface RefreshToken<User> {
  readonly text: string;
  readonly grant: Grant<User>;
  readonly scopes: ReadonlySet<string>;
  readonly issuedAtMs: number;
  usedAtMs: number;
  isRevoked: boolean;
}

export interface AccessToken<User> {
  readonly grant: Grant<User>;
  /** Scopes at issue; scopes that the grant has lost no longer count. */
  readonly scopes: ReadonlySet<string>;
  readonly isOffline: boolean;
  expiresAtMs: number;
}

export class Grants<User> {
  /** Also holds revoked grants while tokens refer to them. */
  readonly #grants: Map<string, Grant<User>>;
  readonly #refreshTokens: Map<string, Kept<RefreshToken<User>>>;
  readonly #accessTokens: Map<string, Kept<AccessToken<User>>>;

  constructor(
    private readonly clock: { nowMs(): number },
    private readonly rules: TokenRules<User>,
    memory: Memory,
  ) {
    this.#grants = memory.collection('grants');
    this.#refreshTokens = memory.collection('refreshTokens');
    this.#accessTokens = memory.collection('accessTokens');
  }

  find(user: User, clientId: string): Grant<User> | undefined {
    return this.#liveOf(user, clientId)[0];
  }

  /** Adds consent for all or some requested scopes; never removes any. */
  extend(user: User, clientId: string, scopes: Iterable<string>, asked: Iterable<string>): Grant<User> {
    let grant = this.find(user, clientId);
    if (grant === undefined) {
      grant = { key: randomUUID(), user, clientId, scopes: new Set(), asked: new Set(), isRevoked: false };
      this.#grants.set(grant.key, grant);
    }
    for (const scope of scopes) grant.scopes.add(scope);
    for (const scope of asked) grant.asked.add(scope);
    return grant;
  }

  issueRefreshToken(grant: Grant<User>, scopes: ReadonlySet<string>): string {
    const nowMs = this.clock.nowMs();
    const text = `${this.rules.refreshTokenPrefix}${randomBytes(48).toString('base64url')}`;
    const token = { text, grantKey: grant.key, scopes, issuedAtMs: nowMs, usedAtMs: nowMs, isRevoked: false };
    this.#refreshTokens.set(text, token);
    const live = [...this.#refreshTokens.values()].filter(
      (other) => other.grantKey === grant.key && this.isLive(this.#granted(other)),
    );
    for (const other of live.slice(0, -this.rules.liveRefreshTokens)) other.isRevoked = true;
    return text;
  }

  issueAccessToken(grant: Grant<User>, scopes: ReadonlySet<string>, isOffline: boolean): string {
    const text = `${this.rules.accessTokenPrefix}${randomBytes(96).toString('base64url')}`;
    const expiresAtMs = this.clock.nowMs() + ACCESS_TOKEN_SECONDS * 1000;
    this.#accessTokens.set(text, { grantKey: grant.key, scopes, isOffline, expiresAtMs });
    return text;
  }

  /** Also finds ended tokens. */
  refreshToken(text: string): RefreshToken<User> | undefined {
    const token = this.#refreshTokens.get(text);
    return token && this.#granted(token);
  }

  /** Also finds ended tokens. */
  accessToken(text: string): AccessToken<User> | undefined {
    const token = this.#accessTokens.get(text);
    return token && this.#granted(token);
  }

  isLive(token: RefreshToken<User> | AccessToken<User>): boolean {
    if (token.grant.isRevoked) return false;
    const nowMs = this.clock.nowMs();
    if ('expiresAtMs' in token) return nowMs < token.expiresAtMs && this.rules.hasClient(token.grant.clientId);
    return !token.isRevoked && nowMs - token.usedAtMs < this.rules.unusedForMs && !this.rules.hasEnded(token, nowMs);
  }

  /** Returns the scopes that are valid now. */
  scopesOf(token: RefreshToken<User> | AccessToken<User>): ReadonlySet<string> {
    return new Set([...token.scopes].filter((scope) => token.grant.scopes.has(scope)));
  }

  /** Revokes a client's access, or that of all clients. @returns number of ended grants */
  revoke(user: User, clientId?: string): number {
    const ending = this.#liveOf(user, clientId);
    for (const grant of ending) grant.isRevoked = true;
    return ending.length;
  }

  /** Revokes the grant of any of its tokens (RFC 7009). @returns true for a live token */
  revokeByToken(text: string): boolean {
    const token = this.refreshToken(text) ?? this.accessToken(text);
    if (token === undefined || !this.isLive(token)) return false;
    token.grant.isRevoked = true;
    return true;
  }

  /** Expires access tokens of one user or of all. @returns their number */
  expireAccessTokens(user?: User): number {
    const live = [...this.#accessTokens.values()].filter((kept) => {
      const token = this.#granted(kept);
      return this.isLive(token) && (user === undefined || this.#isOf(token.grant, user));
    });
    for (const kept of live) kept.expiresAtMs = this.clock.nowMs();
    return live.length;
  }

  /** Restarts the lifetime of an unused token. */
  recordUse({ text }: RefreshToken<User>): void {
    this.#refreshTokens.get(text)!.usedAtMs = this.clock.nowMs();
  }

  endRefreshToken({ text }: RefreshToken<User>): void {
    this.#refreshTokens.get(text)!.isRevoked = true;
  }

  /** Deletes ended access tokens, which are treated like unknown ones. */
  deleteEndedAccessTokens(): void {
    for (const [text, kept] of this.#accessTokens) {
      if (kept.expiresAtMs <= this.clock.nowMs() || this.#granted(kept).grant.isRevoked)
        this.#accessTokens.delete(text);
    }
  }

  #liveOf(user: User, clientId?: string): Grant<User>[] {
    return [...this.#grants.values()].filter(
      (grant) => !grant.isRevoked && this.#isOf(grant, user) && (clientId === undefined || grant.clientId === clientId),
    );
  }

  #isOf(grant: Grant<User>, user: User): boolean {
    return this.rules.addressOf(grant.user) === this.rules.addressOf(user);
  }

  #granted<Token extends { grantKey: string }>(token: Token): Token & { grant: Grant<User> } {
    return { ...token, grant: this.#grants.get(token.grantKey)! };
  }
}
