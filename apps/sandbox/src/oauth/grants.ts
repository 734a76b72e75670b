import { randomBytes, randomUUID } from 'node:crypto';
import type { Memory } from '../state/memory.js';

export const ACCESS_TOKEN_SECONDS = 3599;

/** What the tokens of one provider are like. */
export interface TokenRules<User> {
  accessTokenPrefix: string;
  refreshTokenPrefix: string;
  /** A refresh token that is not used for so long ends. */
  unusedForMs: number;
  /** The oldest of more live refresh tokens of one grant end without a word. */
  liveRefreshTokens: number;
  /** Whether a refresh token has ended for a reason of the provider's own. */
  hasEnded(token: RefreshToken<unknown>, nowMs: number): boolean;
  /** Tokens of a client that is no more are dead. */
  hasClient(clientId: string): boolean;
  /** Nobody else has it while the user has an account. */
  addressOf(user: User): string;
}

/** What one user allows one client. Every token points to it, so that nothing outlives it. */
export interface Grant<User> {
  readonly key: string;
  readonly user: User;
  readonly clientId: string;
  readonly scopes: Set<string>;
  /** What the client has asked for, allowed or not. */
  readonly asked: Set<string>;
  isRevoked: boolean;
}

/** As it is kept: with the key of its grant. */
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
  /** What the token was issued for; what the grant has lost since is lost to the token. */
  readonly scopes: ReadonlySet<string>;
  readonly isOffline: boolean;
  expiresAtMs: number;
}

/** Consents and the tokens that live by them. */
export class Grants<User> {
  /** Revoked ones too, while tokens tell of them. */
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

  /** The user's consent to some or all of what was asked for: scopes are added, never taken away. */
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

  /** Dead ones too. */
  refreshToken(text: string): RefreshToken<User> | undefined {
    const token = this.#refreshTokens.get(text);
    return token && this.#granted(token);
  }

  /** Dead ones too. */
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

  /** What a token may be used for now. */
  scopesOf(token: RefreshToken<User> | AccessToken<User>): ReadonlySet<string> {
    return new Set([...token.scopes].filter((scope) => token.grant.scopes.has(scope)));
  }

  /** The user takes the client's access away; without a client: everybody's. @returns how many grants ended */
  revoke(user: User, clientId?: string): number {
    const ending = this.#liveOf(user, clientId);
    for (const grant of ending) grant.isRevoked = true;
    return ending.length;
  }

  /** RFC 7009: the whole grant goes, whichever of its tokens was given. @returns whether the token was good */
  revokeByToken(text: string): boolean {
    const token = this.refreshToken(text) ?? this.accessToken(text);
    if (token === undefined || !this.isLive(token)) return false;
    token.grant.isRevoked = true;
    return true;
  }

  /** Access tokens, of one user or of all, end now. @returns how many */
  expireAccessTokens(user?: User): number {
    const live = [...this.#accessTokens.values()].filter((kept) => {
      const token = this.#granted(kept);
      return this.isLive(token) && (user === undefined || this.#isOf(token.grant, user));
    });
    for (const kept of live) kept.expiresAtMs = this.clock.nowMs();
    return live.length;
  }

  /** Keeps the token from dying of disuse. */
  noteUse({ text }: RefreshToken<User>): void {
    this.#refreshTokens.get(text)!.usedAtMs = this.clock.nowMs();
  }

  endRefreshToken({ text }: RefreshToken<User>): void {
    this.#refreshTokens.get(text)!.isRevoked = true;
  }

  /** Nothing tells access tokens that have ended from those that never were. */
  forgetEndedAccessTokens(): void {
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
