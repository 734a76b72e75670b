import { randomBytes } from 'node:crypto';

export const ACCESS_TOKEN_SECONDS = 3599;

/** What the tokens of one provider are like. */
export interface TokenRules {
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
}

/** What one user allows one client. Every token points to it, so that nothing outlives it. */
export interface Grant<User> {
  readonly user: User;
  readonly clientId: string;
  readonly scopes: Set<string>;
  /** What the client has asked for, allowed or not. */
  readonly asked: Set<string>;
  isRevoked: boolean;
}

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

/** Tokens point to their grant by its place in the list. */
export interface GrantsSnapshot<User> {
  grants: { user: User; clientId: string; scopes: string[]; asked: string[]; isRevoked: boolean }[];
  refreshTokens: (Omit<RefreshToken<User>, 'grant' | 'scopes'> & { grant: number; scopes: string[] })[];
  accessTokens: (Omit<AccessToken<User>, 'grant' | 'scopes'> & { text: string; grant: number; scopes: string[] })[];
}

/** Consents and the tokens that live by them. */
export class Grants<User> {
  #grants: Grant<User>[] = [];
  readonly #refreshTokens = new Map<string, RefreshToken<User>>();
  readonly #accessTokens = new Map<string, AccessToken<User>>();

  constructor(
    private readonly clock: { nowMs(): number },
    private readonly rules: TokenRules,
  ) {}

  find(user: User, clientId: string): Grant<User> | undefined {
    return this.#grants.find((grant) => grant.user === user && grant.clientId === clientId);
  }

  /** The user's consent to some or all of what was asked for: scopes are added, never taken away. */
  extend(user: User, clientId: string, scopes: Iterable<string>, asked: Iterable<string>): Grant<User> {
    let grant = this.find(user, clientId);
    if (grant === undefined) {
      grant = { user, clientId, scopes: new Set(), asked: new Set(), isRevoked: false };
      this.#grants.push(grant);
    }
    for (const scope of scopes) grant.scopes.add(scope);
    for (const scope of asked) grant.asked.add(scope);
    return grant;
  }

  issueRefreshToken(grant: Grant<User>, scopes: ReadonlySet<string>): string {
    const nowMs = this.clock.nowMs();
    const text = `${this.rules.refreshTokenPrefix}${randomBytes(48).toString('base64url')}`;
    this.#refreshTokens.set(text, { text, grant, scopes, issuedAtMs: nowMs, usedAtMs: nowMs, isRevoked: false });
    const live = [...this.#refreshTokens.values()].filter((token) => token.grant === grant && this.isLive(token));
    for (const token of live.slice(0, -this.rules.liveRefreshTokens)) token.isRevoked = true;
    return text;
  }

  issueAccessToken(grant: Grant<User>, scopes: ReadonlySet<string>, isOffline: boolean): string {
    const text = `${this.rules.accessTokenPrefix}${randomBytes(96).toString('base64url')}`;
    const expiresAtMs = this.clock.nowMs() + ACCESS_TOKEN_SECONDS * 1000;
    this.#accessTokens.set(text, { grant, scopes, isOffline, expiresAtMs });
    return text;
  }

  /** Dead ones too. */
  refreshToken(text: string): RefreshToken<User> | undefined {
    return this.#refreshTokens.get(text);
  }

  /** Dead ones too. */
  accessToken(text: string): AccessToken<User> | undefined {
    return this.#accessTokens.get(text);
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
    const ending = this.#grants.filter(
      (grant) => grant.user === user && (clientId === undefined || grant.clientId === clientId),
    );
    for (const grant of ending) this.#end(grant);
    return ending.length;
  }

  /** RFC 7009: the whole grant goes, whichever of its tokens was given. @returns whether the token was good */
  revokeByToken(text: string): boolean {
    const token = this.#refreshTokens.get(text) ?? this.#accessTokens.get(text);
    if (token === undefined || !this.isLive(token)) return false;
    this.#end(token.grant);
    return true;
  }

  /** Access tokens, of one user or of all, end now. @returns how many */
  expireAccessTokens(user?: User): number {
    const live = [...this.#accessTokens.values()].filter(
      (token) => this.isLive(token) && (user === undefined || token.grant.user === user),
    );
    for (const token of live) token.expiresAtMs = this.clock.nowMs();
    return live.length;
  }

  /** Keeps the token from dying of disuse. */
  noteUse(token: RefreshToken<User>): void {
    token.usedAtMs = this.clock.nowMs();
  }

  endRefreshToken(token: RefreshToken<User>): void {
    token.isRevoked = true;
  }

  /** Without the access tokens that have ended: nothing tells them from those that never were. */
  snapshot(): GrantsSnapshot<User> {
    const nowMs = this.clock.nowMs();
    const refreshTokens = [...this.#refreshTokens.values()];
    const accessTokens = [...this.#accessTokens].filter(
      ([, { grant, expiresAtMs }]) => !grant.isRevoked && nowMs < expiresAtMs,
    );
    const grants = [...new Set([...this.#grants, ...refreshTokens.map(({ grant }) => grant)])];
    const places = new Map(grants.map((grant, place) => [grant, place]));
    const placed = <T extends RefreshToken<User> | AccessToken<User>>(token: T) => ({
      ...token,
      grant: places.get(token.grant)!,
      scopes: [...token.scopes],
    });
    return {
      grants: grants.map((grant) => ({ ...grant, scopes: [...grant.scopes], asked: [...grant.asked] })),
      refreshTokens: refreshTokens.map(placed),
      accessTokens: accessTokens.map(([text, token]) => ({ text, ...placed(token) })),
    };
  }

  /** @param findUser whom a grant that has not been revoked belongs to: the user as it was noted, as it is now */
  restore(snapshot: GrantsSnapshot<User>, findUser: (noted: User) => User | undefined): void {
    this.clear();
    const grants = snapshot.grants.map(({ user, clientId, scopes, asked, isRevoked }): Grant<User> => {
      // Of an account that was deleted since, or made again under its old address, nothing but the grant is left.
      const owner = (isRevoked ? undefined : findUser(user)) ?? user;
      return { user: owner, clientId, scopes: new Set(scopes), asked: new Set(asked), isRevoked };
    });
    const found = <T extends { grant: number; scopes: string[] }>(token: T) => {
      const grant = grants[token.grant];
      if (grant === undefined) throw new Error('a token without a grant');
      return { ...token, grant, scopes: new Set(token.scopes) };
    };
    this.#grants = grants.filter(({ isRevoked }) => !isRevoked);
    for (const token of snapshot.refreshTokens) this.#refreshTokens.set(token.text, found(token));
    for (const { text, ...token } of snapshot.accessTokens) this.#accessTokens.set(text, found(token));
  }

  clear(): void {
    this.#grants = [];
    this.#refreshTokens.clear();
    this.#accessTokens.clear();
  }

  #end(grant: Grant<User>): void {
    grant.isRevoked = true;
    this.#grants = this.#grants.filter((other) => other !== grant);
  }
}
