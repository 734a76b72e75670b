import { OAuth2 } from 'oauth';
import OAuth2Strategy from 'passport-oauth2';

/** A client of an authorization server: who asks, for what, and where the answer goes. */
export interface AuthorizationParty {
  /** Without a query. */
  authorizationEndpoint: string;
  clientId: string;
  redirectUri: string;
  scopes: readonly string[];
}

/** What came back in the query of the redirect URI; neither is empty. */
export type AuthorizationResponse = { code: string } | { error: string };

/** What became of a code; or `denied`: the authorization server's `error`, in its own word. */
export type AuthorizationOutcome<Decision> = Decision | { state: 'denied'; error: string };

/** Keeps the PKCE verifier of a request, and resolves with the `state` under which it will be found again. */
type KeepVerifier = (codeVerifier: string) => Promise<string>;

/** RFC 6749 §4.1.3, with the verifier of RFC 7636 §4.5. */
interface AuthorizationCode {
  code: string;
  codeVerifier: string;
  redirectUri: string;
}

/** @throws DomainError, when nothing was decided */
type RedeemCode<Decision> = (grant: AuthorizationCode) => Promise<Decision>;

/**
 * Where to send a browser to ask for authorization: RFC 6749 §4.1.1 with PKCE (S256).
 * `params`: what this authorization server wants to know besides.
 */
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

/**
 * What an authorization response comes to: RFC 6749 §4.1.2 and §4.1.3. The caller has judged its `state`, and hands over
 * the verifier that was kept under it.
 */
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

/** Passport tells a request from a response by the query alone. */
function notThisHalf(): never {
  throw new Error('passport took one half of the flow for the other');
}

/** The form that passport expects of a store that keeps verifiers: it goes by the number of parameters. */
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

/** Both libraries require one, and call neither: adapters redeem the codes, with a secret of their own. */
const NO_TOKEN_ENDPOINT = 'about:blank';
const NO_SECRET = '';

/**
 * The token client of a strategy: `_oauth2`, which passport-oauth2 leaves to its subclasses. Hands codes to an adapter and
 * sends nothing itself: the HTTP client of `OAuth2` knows neither the guarded egress nor id_tokens.
 */
class AdapterTokenClient extends OAuth2 {
  constructor(
    { authorizationEndpoint, clientId }: AuthorizationParty,
    private readonly redeem: (grant: AuthorizationCode) => void,
  ) {
    super(clientId, NO_SECRET, '', authorizationEndpoint, NO_TOKEN_ENDPOINT);
  }

  /** Does not call back: a decision may be a refusal or an identity, where passport expects an access token. */
  override getOAuthAccessToken(code: string, params: unknown): void {
    const { code_verifier, redirect_uri } = params as { code_verifier: string; redirect_uri: string };
    this.redeem({ code, codeVerifier: code_verifier, redirectUri: redirect_uri });
  }
}

/** The flow of one request: passport-oauth2 drives it, our store keeps the state, and an adapter redeems the code. */
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

  /** `query`: of the request that passport judges. */
  run(query: Partial<Record<'code' | 'error', string>>): Promise<string | AuthorizationOutcome<Decision>> {
    this.authenticate({ query } as unknown as Parameters<OAuth2Strategy['authenticate']>[0]);
    return this.outcome.promise;
  }

  override authorizationParams(): Record<string, string> {
    // Passport adds its own to this object.
    return { ...this.params };
  }

  // The ways in which a strategy ends; passport's middleware, which is not used here, would bring its own.

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
