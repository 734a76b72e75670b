import { serviceRoot } from '#providers/kit/calls';

/** Where Google's services are; on three hosts, or on one that stands in for all of them. */
export interface GoogleEndpoints {
  /** Ends with a slash. */
  calendar: string;
  signingKeys: string;
  authorize: string;
  token: string;
  tokenInfo: string;
  revoke: string;
}

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
export function googleEndpoints({ apiUrl, oauthUrl, tokenUrl }: GoogleRoots): GoogleEndpoints {
  const api = serviceRoot(apiUrl, CALENDAR);
  const tokens = serviceRoot(tokenUrl, TOKEN);
  return {
    calendar: `${api}${CALENDAR}/`,
    signingKeys: `${api}/oauth2/v3/certs`,
    authorize: serviceRoot(oauthUrl, AUTHORIZE) + AUTHORIZE,
    token: tokens + TOKEN,
    tokenInfo: `${tokens}/tokeninfo`,
    revoke: `${tokens}/revoke`,
  };
}
