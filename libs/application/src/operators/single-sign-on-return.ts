const DASHBOARD = '/dashboard';
/** Where nobody is sent to; a path has to belong to something to be read. */
const NOWHERE = 'http://nowhere.invalid';

/** Why somebody did not come in, or was not linked; the dashboard has words for each. The list is closed. */
export const SIGN_ON_ERRORS = [
  'denied',
  'not-invited',
  'email-unverified',
  'taken',
  'somebody-else',
  'not-asked',
  'failed',
  'unavailable',
] as const;
export type SignOnError = (typeof SIGN_ON_ERRORS)[number];

/** The page that a browser asks to be sent to, when it is one of the dashboard; else the first one. */
export function dashboardPath(asked: string | undefined): string {
  // Browsers read a backslash as a slash, and drop control characters (WHATWG URL §4.4).
  if (asked === undefined || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(asked)) return DASHBOARD;
  const url = URL.parse(asked, NOWHERE);
  if (url?.origin !== NOWHERE) return DASHBOARD;
  const isInside = url.pathname === DASHBOARD || url.pathname.startsWith(`${DASHBOARD}/`);
  return isInside ? `${url.pathname}${url.search}${url.hash}` : DASHBOARD;
}

/** Who wanted to come in reads it on the page of the sign-in. */
export function refusedSignOn(error: SignOnError): string {
  return `${DASHBOARD}/sign-in?error=${error}`;
}

/** Where a browser ends that has been at the identity provider once more: a page that closes itself. */
export const SIGNED_IN_AGAIN = `${DASHBOARD}/signed-in-again`;

/** Who wanted to link an identity, or to prove who they are, reads where that was asked for what came of it. */
export function linkedAt(returnTo: string): string {
  return `${returnTo}?linked=true`;
}

export function refusedLink(returnTo: string, error: SignOnError): string {
  return `${returnTo}?error=${error}`;
}
