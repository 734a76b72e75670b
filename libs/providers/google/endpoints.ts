import { serviceRoot } from '#providers/kit/calls';

/** Addresses of Google's services. */
export type GoogleEndpoints = ReturnType<typeof googleEndpoints>;

/** Roots of the Calendar API, of the sign-in pages and of the token endpoints. */
export interface GoogleRoots {
  apiUrl: string;
  oauthUrl: string;
  tokenUrl: string;
}

const CALENDAR = '/calendar/v3';
const AUTHORIZE = '/o/oauth2/v2/auth';
const TOKEN = '/token';

/** Each root may end with slashes, or with the path of the service that gave it its name. */
export function googleEndpoints({ apiUrl, oauthUrl, tokenUrl }: GoogleRoots) {
  const api = serviceRoot(apiUrl, CALENDAR);
  const tokens = serviceRoot(tokenUrl, TOKEN);
  return {
    /** Ends with a slash. */
    calendar: `${api}${CALENDAR}/`,
    signingKeys: `${api}/oauth2/v3/certs`,
    authorize: serviceRoot(oauthUrl, AUTHORIZE) + AUTHORIZE,
    token: tokens + TOKEN,
    tokenInfo: `${tokens}/tokeninfo`,
    revoke: `${tokens}/revoke`,
  };
}
