import type { OAuthAttempt } from '#domain';
import { SIGN_IN_ERRORS, type SignInError } from './sign-in-error.js';

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
