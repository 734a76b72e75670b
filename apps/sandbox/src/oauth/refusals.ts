/** A refusal by an authorization or a token endpoint (RFC 6749 §4.1.2.1, §5.2). */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';

  constructor(
    readonly error: string,
    message: string,
    readonly options: {
      status?: number;
      /** A correct client never sends such a request. */
      isViolation?: boolean;
      /** Numbers of Microsoft's (`AADSTS50058`); the first one is named in the description. */
      codes?: readonly number[];
      suberror?: string;
      /** The client gets to know it, at its redirect URI. */
      isReturned?: boolean;
    } = {},
  ) {
    super(message);
  }
}

/** Errors of RFC 6749 and OpenID Connect Core; after `!`: a correct client never comes to it. */
const REASONS = {
  unknownParameter: '!invalid_request',
  repeatedParameter: '!invalid_request',
  missingParameter: '!invalid_request',
  badValue: '!invalid_request',
  badChallenge: '!invalid_request',
  responseType: '!unsupported_response_type',
  unknownClient: 'invalid_client',
  deletedClient: 'invalid_client',
  redirectUri: 'invalid_request',
  lostInteraction: 'invalid_request',
  denied: 'access_denied',
  needsAdministrator: 'access_denied',
  noSession: 'login_required',
  noConsent: 'consent_required',
  contentType: '!invalid_request',
  parametersInQuery: '!invalid_request',
  grantType: '!unsupported_grant_type',
  twoAuthentications: '!invalid_request',
  secretOfPage: '!invalid_request',
  noSecret: '!invalid_client',
  wrongSecret: 'invalid_client',
  unknownCode: 'invalid_grant',
  foreignCode: 'invalid_grant',
  usedCode: 'invalid_grant',
  expiredCode: 'invalid_grant',
  codeOfOtherTenant: '!invalid_grant',
  codeRedirectUri: 'invalid_grant',
  needlessVerifier: 'invalid_grant',
  missingVerifier: 'invalid_grant',
  wrongVerifier: 'invalid_grant',
  revokedGrant: 'invalid_grant',
  unknownRefreshToken: 'invalid_grant',
  deadRefreshToken: 'invalid_grant',
  notConsented: 'invalid_grant',
} as const;

/** Why something is refused. What it is about, a parameter or a client, is told beside it. */
export type Reason = keyof typeof REASONS;

/** A refusal in the words of a provider. */
export type Refuse = (reason: Reason, about?: string) => OAuthRefusal;

/** What a provider says for a reason, and what it says otherwise than RFC 6749. */
export type Words = { message: string; error?: string } & OAuthRefusal['options'];

/** @param wordsFor `{}`: nothing but the error */
export function refusing(wordsFor: (reason: Reason, about: string) => Partial<Words>): Refuse {
  return (reason, about = '') => {
    const usual: string = REASONS[reason];
    const { message = '', error = usual.replace('!', ''), ...options } = wordsFor(reason, about);
    return new OAuthRefusal(error, message, { isViolation: usual.startsWith('!'), ...options });
  };
}
