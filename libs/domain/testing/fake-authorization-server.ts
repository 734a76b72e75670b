import { createHash, randomUUID } from 'node:crypto';
import {
  AuthorizationServer,
  type AccountIdentity,
  type OAuthClient,
  type OAuthPrompt,
  type OAuthTokens,
  type TokenDecision,
} from '#domain/oauth';
import { DomainError } from '#domain/system';

const REFUSED: TokenDecision = {
  state: 'grant-rejected',
  reason: 'invalid_grant',
  error: { status: 400, code: 'invalid_grant', message: 'refused', retryable: false },
};

/** What a user does on the consent page. */
export interface Consent {
  identity: AccountIdentity;
  /** undefined: everything that is asked for. */
  scopes?: string[];
  /** Whether the grant comes with a refresh token; undefined: it does. */
  lasting?: boolean;
}

interface IssuedCode {
  clientId: string;
  redirectUri: string;
  codeChallenge: string;
  nonce: string;
  consent: Consent;
  scopes: string[];
}

/** An authorization server in memory. It is as strict about codes as RFC 6749 §4.1.3 and RFC 7636 §4.6 ask for. */
export class FakeAuthorizationServer extends AuthorizationServer {
  readonly defaultScopes = ['openid', 'email', 'calendar'];
  /** Codes that were sent to the token endpoint. */
  readonly exchanged: string[] = [];
  readonly revoked: string[] = [];
  /** Refresh tokens that work, and whose they are. */
  readonly refreshTokens = new Map<string, AccountIdentity>();
  /** Answers the next exchanges instead. */
  exchangeResponse: (() => TokenDecision) | null = null;
  /** Whether a refresh token works once, and brings the next one. */
  rotates = false;
  /** Whether id_tokens come along. */
  identifies = true;
  private readonly codes = new Map<string, IssuedCode>();

  constructor(readonly issuer: string) {
    super();
  }

  override authorizationEndpoint(): string {
    return `${this.issuer}/authorize`;
  }

  override authorizationParams(request: {
    prompt: OAuthPrompt | null;
    loginHint: string | null;
    nonce: string;
    again: boolean;
  }): Record<string, string> {
    const { prompt, loginHint, nonce, again } = request;
    return {
      nonce,
      prompt: again ? 'consent' : (prompt ?? 'consent'),
      ...(loginHint !== null && { login_hint: loginHint }),
    };
  }

  override isIssuer(iss: string): boolean {
    return iss === this.issuer;
  }

  override missingScopes(requested: readonly string[], granted: readonly string[]): string[] {
    return requested.filter((scope) => !granted.includes(scope));
  }

  override async exchange(request: {
    client: OAuthClient;
    redirectUri: string;
    code: string;
    codeVerifier: string;
    nonce: string;
  }): Promise<TokenDecision> {
    const { client, redirectUri, code, codeVerifier, nonce } = request;
    this.exchanged.push(code);
    if (this.exchangeResponse !== null) return this.exchangeResponse();
    const issued = this.codes.get(code);
    this.codes.delete(code);
    const isGood =
      issued !== undefined &&
      issued.clientId === client.clientId &&
      issued.redirectUri === redirectUri &&
      issued.nonce === nonce &&
      issued.codeChallenge === createHash('sha256').update(codeVerifier).digest('base64url');
    return isGood ? { state: 'granted', tokens: this.tokens(issued.consent, issued.scopes) } : REFUSED;
  }

  override async refresh({ refreshToken }: { refreshToken: string }): Promise<TokenDecision> {
    const identity = this.refreshTokens.get(refreshToken);
    if (identity === undefined) return REFUSED;
    if (this.rotates) this.refreshTokens.delete(refreshToken);
    const tokens = this.tokens({ identity, lasting: this.rotates }, [...this.defaultScopes]);
    return { state: 'granted', tokens: { ...tokens, scopes: null } };
  }

  override async identify(): Promise<AccountIdentity | null> {
    return null;
  }

  override async revoke({ token }: { token: string }): Promise<void> {
    this.revoked.push(token);
    this.refreshTokens.delete(token);
  }

  /** The user says yes. `url`: where the browser was sent. @returns where it is sent back to */
  consent(url: string, consent: Consent): URL {
    const query = new URL(url).searchParams;
    const parameter = (name: string): string => {
      const values = query.getAll(name);
      if (values.length !== 1) throw new Error(`${name} comes ${values.length} times`);
      return values[0] as string;
    };
    if (parameter('response_type') !== 'code') throw new Error('not a request for a code');
    if (parameter('code_challenge_method') !== 'S256') throw new Error('no PKCE with S256');
    const code = randomUUID();
    this.codes.set(code, {
      clientId: parameter('client_id'),
      redirectUri: parameter('redirect_uri'),
      codeChallenge: parameter('code_challenge'),
      nonce: parameter('nonce'),
      consent,
      scopes: consent.scopes ?? parameter('scope').split(' '),
    });
    return this.back(url, { code, iss: this.issuer });
  }

  /** The provider says no, in these parameters. */
  deny(url: string, parameters: Record<string, string>): URL {
    return this.back(url, parameters);
  }

  private back(url: string, parameters: Record<string, string>): URL {
    const query = new URL(url).searchParams;
    const back = new URL(query.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({ state: query.get('state') ?? '', ...parameters }).toString();
    return back;
  }

  private tokens({ identity, lasting = true }: Consent, scopes: string[]): OAuthTokens {
    const refreshToken = lasting ? `refresh-${randomUUID()}` : null;
    if (refreshToken !== null) this.refreshTokens.set(refreshToken, identity);
    return {
      accessToken: `access-${randomUUID()}`,
      refreshToken,
      expiresAt: new Date(Date.now() + 3_600_000),
      scopes,
      identity: this.identifies ? identity : null,
    };
  }
}

/** What an adapter throws when its server decides nothing. */
export function unreachable(): never {
  throw new DomainError('ProviderUnavailable', 'The provider cannot be reached.');
}
