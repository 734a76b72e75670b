const DASHBOARD = '/dashboard';
const NOWHERE = 'http://nowhere.invalid';

/** Error codes for the dashboard. The list is closed. */
export const SSO_ERRORS = [
  'denied',
  'not-invited',
  'email-unverified',
  'taken',
  'somebody-else',
  'not-asked',
  'failed',
  'unavailable',
] as const;
export type SsoError = (typeof SSO_ERRORS)[number];

export function dashboardPath(asked: string | undefined): string {
  // Browsers read a backslash as a slash and drop control characters (WHATWG URL §4.4).
  if (asked === undefined || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(asked)) return DASHBOARD;
  const url = URL.parse(asked, NOWHERE);
  if (url?.origin !== NOWHERE) return DASHBOARD;
  const isInside = url.pathname === DASHBOARD || url.pathname.startsWith(`${DASHBOARD}/`);
  return isInside ? `${url.pathname}${url.search}${url.hash}` : DASHBOARD;
}

export function failedSignInPath(error: SsoError): string {
  return `${DASHBOARD}/sign-in?error=${error}`;
}

/** A page that closes itself after a reauthentication. */
export const SIGNED_IN_AGAIN = `${DASHBOARD}/signed-in-again`;

export function linkedPath(returnTo: string): string {
  return `${returnTo}?linked=true`;
}

export function failedLinkPath(returnTo: string, error: SsoError): string {
  return `${returnTo}?error=${error}`;
}
