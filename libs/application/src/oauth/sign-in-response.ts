import type { ProviderType } from '#domain/accounts';
import type { AuthorizationRequest, OAuthPrompt } from '#domain/oauth';

/** Public error codes of a sign-in. The list is closed: clients branch on it. */
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

/** OpenID Connect Core §3.1.2.6: the provider would have to ask the user. */
const NEEDS_USER = new Set([
  'interaction_required',
  'login_required',
  'consent_required',
  'account_selection_required',
]);

export function toSignInError(
  { error, errorSubtype }: { error: string; errorSubtype: string | undefined },
  prompt: OAuthPrompt | null,
): SignInError {
  if (NEEDS_USER.has(error)) return 'interaction_required';
  // With prompt=none Google reports `access_denied` when it would have to ask the user.
  if (prompt === 'none' && [error, errorSubtype].includes('access_denied')) return 'interaction_required';
  return error === 'access_denied' ? 'access_denied' : 'provider_error';
}

export type ReturnAddress = Pick<AuthorizationRequest, 'redirectUrl' | 'callerState'>;

export function returnConnected(address: ReturnAddress, endUserAccountId: string): string {
  return withParameters(address, { endUserAccountId });
}

/** The description is our own: provider text must not reach the application. */
export function returnRejected(
  { providerType, ...address }: ReturnAddress & { providerType: ProviderType | null },
  error: SignInError,
): string {
  const parameters = { error, error_description: SIGN_IN_ERRORS[error] };
  return withParameters(address, providerType === null ? parameters : { ...parameters, provider: providerType });
}

function withParameters({ redirectUrl, callerState }: ReturnAddress, parameters: Record<string, string>): string {
  const all = callerState === null ? parameters : { ...parameters, state: callerState };
  // `%20` instead of `+`: form decoders and decodeURIComponent both read it as a space.
  const added = Object.entries(all).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const url = new URL(redirectUrl);
  url.search = [url.search.slice(1), ...added].filter((part) => part !== '').join('&');
  return url.href;
}
