/** @param path to return to, below /dashboard */
export function ssoUrl(path: string): string {
  return `/api/operator/v1/sign-on/start?${new URLSearchParams({ returnTo: `/dashboard${path}` }).toString()}`;
}

export interface SsoFailure {
  title: string;
  advice: string;
}

const FAILURES: Record<string, SsoFailure> = {
  denied: {
    title: 'You were not signed in',
    advice: 'The sign-in was called off, or your identity provider refused it.',
  },
  'not-invited': {
    title: 'You are not an operator here',
    advice:
      'Ask an admin for an invitation to the address that you sign in with. If you already have a password here, sign in with it and link the single sign-on on your profile page.',
  },
  'email-unverified': {
    title: 'Your address is not verified',
    advice: 'Verify your email address at your identity provider, then sign in again.',
  },
  taken: {
    title: 'This identity is linked already',
    advice: 'Another operator signs in with it. Sign in at your identity provider as somebody else, or ask an admin.',
  },
  'somebody-else': {
    title: 'That was somebody else',
    advice:
      'You are signed in here as another operator than at your identity provider, or have not linked the two. Sign in there as yourself, or use your password.',
  },
  'not-asked': {
    title: 'Your identity provider did not ask you',
    advice:
      'It was asked to have you sign in once more, and does not say that you did. Sign out there, then try again.',
  },
  unavailable: {
    title: 'The identity provider does not answer',
    advice: 'Try again in a moment, or sign in with a password if you have one.',
  },
};

const OTHER: SsoFailure = {
  title: 'The single sign-on could not be finished',
  advice: 'Begin it again. If that does not help, the log of the api tells why.',
};

/** Explains the error code of the URL. Unknown codes get a generic text. */
export function ssoFailure(code: string | null): SsoFailure | null {
  if (code === null) return null;
  return Object.hasOwn(FAILURES, code) ? FAILURES[code]! : OTHER;
}
