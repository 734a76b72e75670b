import type { OAuthAttempt, OAuthPrompt } from '#domain';

/** Why nobody was connected, as the application is told; and in words. The list is closed: clients branch on it. */
export const SIGN_IN_ERRORS = {
  access_denied: 'The user did not allow access.',
  missing_required_permissions: 'The user did not grant every permission that is needed.',
  login_hint_mismatch: 'The user signed in with another account than the one asked for.',
  external_id_mismatch: 'The account belongs to another user of the application.',
  admin_consent_required: "The organization of the user asks for an administrator's consent.",
  interaction_required: 'The provider has to ask the user something, which prompt=none does not allow.',
  provider_error: 'The provider did not complete the sign-in.',
} as const;

export type SignInError = keyof typeof SIGN_IN_ERRORS;

/** OpenID Connect Core §3.1.2.6: the user would have had to be asked. */
const NEEDS_USER = new Set([
  'interaction_required',
  'login_required',
  'consent_required',
  'account_selection_required',
]);

/** What an authorization server's `error` (RFC 6749 §4.1.2.1), with Google's `error_subtype`, means for the application. */
export function toSignInError(
  { error, errorSubtype }: { error: string; errorSubtype: string | undefined },
  prompt: OAuthPrompt | null,
): SignInError {
  if (NEEDS_USER.has(error)) return 'interaction_required';
  // Nobody was asked, so nobody said no: Google words it so when it would have had to ask.
  if (prompt === 'none' && [error, errorSubtype].includes('access_denied')) return 'interaction_required';
  return error === 'access_denied' ? 'access_denied' : 'provider_error';
}

/** Where the application gets its user back: its redirect URL, with its own state as it gave it. */
export type ReturnAddress = Pick<OAuthAttempt, 'redirectUrl' | 'callerState'>;

/** For a user who is connected. */
export function returnConnected(address: ReturnAddress, endUserAccountId: string): string {
  return withParameters(address, { endUserAccountId });
}

/** For a user who is not. The description is ours: nothing that the provider wrote gets there. */
export function returnRefused(
  { providerType, ...address }: ReturnAddress & Pick<OAuthAttempt, 'providerType'>,
  error: SignInError,
): string {
  return withParameters(address, { error, error_description: SIGN_IN_ERRORS[error], provider: providerType });
}

function withParameters({ redirectUrl, callerState }: ReturnAddress, parameters: Record<string, string>): string {
  const all = callerState === null ? parameters : { ...parameters, state: callerState };
  // `%20` and not `+` for a space: form decoders and decodeURIComponent read it alike.
  const added = Object.entries(all).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const url = new URL(redirectUrl);
  url.search = [url.search.slice(1), ...added].filter((part) => part !== '').join('&');
  return url.href;
}
