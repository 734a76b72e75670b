import type { OAuthPrompt } from '#domain';

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
