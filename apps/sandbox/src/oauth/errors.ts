/** A refusal by an authorization or a token endpoint (RFC 6749 §4.1.2.1, §5.2). */
export class OAuthErrorResponse extends Error {
  override readonly name = 'OAuthErrorResponse';

  constructor(
    readonly error: string,
    message: string,
    readonly options: {
      status?: number;
      /** True for a request that no correct client sends. */
      isViolation?: boolean;
      /** Microsoft codes (`AADSTS50058`); the first one appears in the description. */
      codes?: readonly number[];
      suberror?: string;
      /** True when the refusal returns to the client's redirect URI. */
      isReturned?: boolean;
    } = {},
  ) {
    super(message);
  }
}

/** Errors of RFC 6749 and OpenID Connect Core; `!` marks a client defect. */
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

/** Reason of a refusal; the affected parameter or client is separate. */
export type Reason = keyof typeof REASONS;

/** Creates a refusal in a provider's words. */
export type Refuse = (reason: Reason, about?: string) => OAuthErrorResponse;

/** A provider's message, and its deviations from RFC 6749. */
export type Words = { message: string; error?: string } & OAuthErrorResponse['options'];

/** @param wordsFor returns `{}` for the error alone */
export function refusing(wordsFor: (reason: Reason, about: string) => Partial<Words>): Refuse {
  return (reason, about = '') => {
    const usual: string = REASONS[reason];
    const { message = '', error = usual.replace('!', ''), ...options } = wordsFor(reason, about);
    return new OAuthErrorResponse(error, message, { isViolation: usual.startsWith('!'), ...options });
  };
}
