import { DomainError, invalid } from '#domain';
import { withTrailingSlash } from './dav/hrefs.js';

/**
 * The address as a user types it: scheme defaults to https, host in lower case, default port dropped, trailing slash.
 * Whether it may be connected to is the egress' judgement.
 * @throws DomainError ValidationFailed, ServerNotAllowed
 */
export function normalizeServerUrl(typed: string): URL {
  const text = typed.trim();
  // `host:8443/path` looks like a scheme to a URL parser.
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i.test(text);
  const url = parse(hasScheme ? text : `https://${text.replace(/^\/\//, '')}`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new DomainError('ServerNotAllowed', 'serverUrl must be an https address.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new DomainError('ServerNotAllowed', 'serverUrl must not hold a login; give email and password instead.');
  }
  if (url.hash !== '') throw new DomainError('ServerNotAllowed', 'serverUrl must not have a fragment (#…).');
  if (url.hostname === '') throw notAnAddress();
  refuseKnownPages(url);
  url.pathname = withTrailingSlash(url.pathname);
  return url;
}

function parse(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw notAnAddress();
  return url;
}

function notAnAddress(): DomainError {
  return invalid('serverUrl', 'must be the address of a CalDAV server');
}

const CONNECT_AS = {
  GOOGLE: 'Google calendars cannot be reached with a password over CalDAV; connect the account as GOOGLE.',
  MICROSOFT: 'Outlook and Microsoft 365 have no CalDAV server; connect the account as MICROSOFT.',
  APPLE: 'This is the web page of iCloud, not its calendar server; connect the account as APPLE.',
} as const;

/** Host → what to do instead. Known by name: nothing is sent to find out. */
const KNOWN_PAGES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'calendar.google.com': CONNECT_AS.GOOGLE,
    'www.google.com': CONNECT_AS.GOOGLE,
    'google.com': CONNECT_AS.GOOGLE,
    'mail.google.com': CONNECT_AS.GOOGLE,
    'gmail.com': CONNECT_AS.GOOGLE,
    'apidata.googleusercontent.com': CONNECT_AS.GOOGLE,
    'outlook.com': CONNECT_AS.MICROSOFT,
    'www.outlook.com': CONNECT_AS.MICROSOFT,
    'outlook.live.com': CONNECT_AS.MICROSOFT,
    'outlook.office.com': CONNECT_AS.MICROSOFT,
    'outlook.office365.com': CONNECT_AS.MICROSOFT,
    'hotmail.com': CONNECT_AS.MICROSOFT,
    'www.icloud.com': CONNECT_AS.APPLE,
    'icloud.com': CONNECT_AS.APPLE,
    'appleid.apple.com': CONNECT_AS.APPLE,
    'account.apple.com': CONNECT_AS.APPLE,
    'www.fastmail.com': webPage('https://caldav.fastmail.com/'),
    'app.fastmail.com': webPage('https://caldav.fastmail.com/'),
    'calendar.yahoo.com': webPage('https://caldav.calendar.yahoo.com/'),
    'mail.yahoo.com': webPage('https://caldav.calendar.yahoo.com/'),
    'www.yahoo.com': webPage('https://caldav.calendar.yahoo.com/'),
    'www.gmx.net': webPage('https://caldav.gmx.net/'),
    'www.web.de': webPage('https://caldav.web.de/'),
  }),
);

function webPage(instead: string): string {
  return `This is the web page of the provider, not its calendar server; use ${instead} instead.`;
}

function refuseKnownPages({ hostname }: URL): void {
  const advice = KNOWN_PAGES.get(hostname.replace(/\.$/, ''));
  if (advice !== undefined) throw invalid('serverUrl', advice);
}
