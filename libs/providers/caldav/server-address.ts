import { DomainError, invalid } from '#domain/system';
import { withTrailingSlash } from './dav/hrefs.js';

/**
 * Parses a typed address: https is the default, and a slash ends the path. The egress checks it.
 * @throws DomainError ValidationFailed, ServerNotAllowed
 */
export function normalizeServerUrl(typed: string): URL {
  const text = typed.trim();
  // A URL parser takes `host:8443/path` for a scheme.
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i.test(text);
  const url = URL.parse(hasScheme ? text : `https://${text.replace(/^\/\//, '')}`);
  if (url === null) throw invalid('serverUrl', 'must be the address of a CalDAV server');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new DomainError('ServerNotAllowed', 'serverUrl must be an https address.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new DomainError('ServerNotAllowed', 'serverUrl must not hold a login; give email and password instead.');
  }
  if (url.hash !== '') throw new DomainError('ServerNotAllowed', 'serverUrl must not have a fragment (#…).');
  const advice = KNOWN_PAGES.get(url.hostname.replace(/\.$/, ''));
  if (advice !== undefined) throw invalid('serverUrl', advice);
  url.pathname = withTrailingSlash(url.pathname);
  return url;
}

const CONNECT_AS = {
  GOOGLE: 'Google calendars cannot be reached with a password over CalDAV; connect the account as GOOGLE.',
  MICROSOFT: 'Outlook and Microsoft 365 have no CalDAV server; connect the account as MICROSOFT.',
  APPLE: 'This is the web page of iCloud, not its calendar server; connect the account as APPLE.',
} as const;

/** Known hosts → advice for the user, without any request. */
const KNOWN_PAGES: ReadonlyMap<string, string> = new Map([
  ...pages(CONNECT_AS.GOOGLE, 'google.com', 'www.google.com', 'calendar.google.com', 'mail.google.com', 'gmail.com'),
  ...pages(CONNECT_AS.GOOGLE, 'apidata.googleusercontent.com'),
  ...pages(CONNECT_AS.MICROSOFT, 'outlook.com', 'www.outlook.com', 'outlook.live.com', 'hotmail.com'),
  ...pages(CONNECT_AS.MICROSOFT, 'outlook.office.com', 'outlook.office365.com'),
  ...pages(CONNECT_AS.APPLE, 'icloud.com', 'www.icloud.com', 'appleid.apple.com', 'account.apple.com'),
  ...pages(webPage('https://caldav.fastmail.com/'), 'www.fastmail.com', 'app.fastmail.com'),
  ...pages(webPage('https://caldav.calendar.yahoo.com/'), 'calendar.yahoo.com', 'mail.yahoo.com', 'www.yahoo.com'),
  ...pages(webPage('https://caldav.gmx.net/'), 'www.gmx.net'),
  ...pages(webPage('https://caldav.web.de/'), 'www.web.de'),
]);

function pages(advice: string, ...hosts: string[]): [string, string][] {
  return hosts.map((host) => [host, advice]);
}

function webPage(instead: string): string {
  return `This is the web page of the provider, not its calendar server; use ${instead} instead.`;
}
