import { OAuth2 } from 'oauth';
import OAuth2Strategy from 'passport-oauth2';

export interface AuthorizationParty {
  authorizationEndpoint: string;
  clientId: string;
  redirectUri: string;
  scopes: readonly string[];
}

export type AuthorizationResponse = { code: string } | { error: string };

/** `denied`: the `error` of the authorization server. */
export type AuthorizationOutcome<Decision> = Decision | { state: 'denied'; error: string };

type KeepVerifier = (codeVerifier: string) => Promise<string>;

/** RFC 6749 §4.1.3, RFC 7636 §4.5. */
interface AuthorizationCode {
  code: string;
  codeVerifier: string;
  redirectUri: string;
}

type RedeemCode<Decision> = (grant: AuthorizationCode) => Promise<Decision>;

/** RFC 6749 §4.1.1 with PKCE (S256). `params` adds parameters of the provider. */
export async function authorizationUrl(
  party: AuthorizationParty,
  params: Record<string, string>,
  keep: KeepVerifier,
): Promise<string> {
  const store: VerifierStore = {
    store(_request, codeVerifier, _state, _meta, done) {
      keep(codeVerifier).then((state) => done(null, state), done);
    },
    verify: notThisHalf,
  };
  const outcome = await new AuthorizationCodeStrategy(party, params, store, notThisHalf).run({});
  return typeof outcome === 'string' ? outcome : notThisHalf();
}

/** RFC 6749 §4.1.2 and §4.1.3. The caller has verified `state`, and passes the verifier stored under it. */
export async function authorizationOutcome<Decision extends object>(
  party: AuthorizationParty,
  response: AuthorizationResponse,
  codeVerifier: string,
  redeem: RedeemCode<Decision>,
): Promise<AuthorizationOutcome<Decision>> {
  const store: VerifierStore = {
    store: notThisHalf,
    verify(_request, _state, _meta, done) {
      done(null, codeVerifier);
    },
  };
  const outcome = await new AuthorizationCodeStrategy(party, {}, store, redeem).run(response);
  return typeof outcome === 'string' ? notThisHalf() : outcome;
}

/** Passport distinguishes a request from a response by the query alone. */
function notThisHalf(): never {
  throw new Error('passport took one half of the flow for the other');
}

/** Passport selects the signature by the number of parameters. */
interface VerifierStore {
  store(
    request: unknown,
    codeVerifier: string,
    state: unknown,
    meta: unknown,
    done: (error: unknown, state?: string) => void,
  ): void;
  verify(request: unknown, state: unknown, meta: unknown, done: (error: null, codeVerifier: string) => void): void;
}

/** Required by both libraries but never used: adapters redeem the codes. */
const NO_TOKEN_ENDPOINT = 'about:blank';
const NO_SECRET = '';

/** Passes codes to an adapter, because the HTTP client of `OAuth2` bypasses egress and ignores id_tokens. */
class AdapterTokenClient extends OAuth2 {
  constructor(
    { authorizationEndpoint, clientId }: AuthorizationParty,
    private readonly redeem: (grant: AuthorizationCode) => void,
  ) {
    super(clientId, NO_SECRET, '', authorizationEndpoint, NO_TOKEN_ENDPOINT);
  }

  /** Never calls back: passport expects an access token, but a decision may be a rejection or an identity. */
  override getOAuthAccessToken(code: string, params: unknown): void {
    const { code_verifier, redirect_uri } = params as { code_verifier: string; redirect_uri: string };
    this.redeem({ code, codeVerifier: code_verifier, redirectUri: redirect_uri });
  }
}

class AuthorizationCodeStrategy<Decision extends object> extends OAuth2Strategy {
  private readonly outcome = Promise.withResolvers<string | AuthorizationOutcome<Decision>>();

  constructor(
    party: AuthorizationParty,
    private readonly params: Record<string, string>,
    store: VerifierStore,
    redeem: RedeemCode<Decision>,
  ) {
    const options = {
      authorizationURL: party.authorizationEndpoint,
      tokenURL: NO_TOKEN_ENDPOINT,
      clientID: party.clientId,
      clientSecret: NO_SECRET,
      callbackURL: party.redirectUri,
      scope: [...party.scopes],
      pkce: true,
      store: store as unknown as OAuth2Strategy.StateStore,
    };
    super(options, notThisHalf);
    this._oauth2 = new AdapterTokenClient(party, (grant) => {
      redeem(grant).then(this.outcome.resolve, this.outcome.reject);
    });
  }

  run(query: Partial<Record<'code' | 'error', string>>): Promise<string | AuthorizationOutcome<Decision>> {
    this.authenticate({ query } as unknown as Parameters<OAuth2Strategy['authenticate']>[0]);
    return this.outcome.promise;
  }

  override authorizationParams(): Record<string, string> {
    // Passport adds its own parameters to this object.
    return { ...this.params };
  }

  // Passport's middleware, which is not used here, would set these three.

  override redirect(url: string): void {
    this.outcome.resolve(url);
  }

  override fail(): void {
    this.outcome.resolve({ state: 'denied', error: 'access_denied' });
  }

  override error(error: unknown): void {
    if (error instanceof OAuth2Strategy.AuthorizationError) {
      this.outcome.resolve({ state: 'denied', error: error.code });
    } else this.outcome.reject(error);
  }
}
