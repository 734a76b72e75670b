/** Enough for every call, and no administrator has to consent. */
export const DEFAULT_SCOPES: readonly string[] = [
  'openid',
  'profile',
  'email',
  'offline_access',
  'User.Read',
  'Calendars.ReadWrite',
  'MailboxSettings.Read',
];

/** Permissions may be written as URLs of Graph, in any of its clouds. */
const GRAPH = /^https:\/\/(?:graph\.microsoft\.com|(?:dod-)?graph\.microsoft\.us|microsoftgraph\.chinacloudapi\.cn)\/+/;

/** Scopes of the sign-in, which token answers may leave out. */
const NOT_TOLD: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'offline_access']);

const BASIC = ['calendars.readbasic'];
const READ = ['calendars.read', ...BASIC];

/** Narrower permissions that a wider one stands for: https://learn.microsoft.com/graph/permissions-reference */
const COVERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['calendars.read', BASIC],
  ['calendars.read.shared', READ],
  ['calendars.readwrite', READ],
  ['calendars.readwrite.shared', ['calendars.readwrite', 'calendars.read.shared', ...READ]],
  ['mailboxsettings.readwrite', ['mailboxsettings.read']],
  ['onlinemeetings.readwrite', ['onlinemeetings.read']],
  ['user.readwrite', ['user.read']],
]);

/** Scopes asked for that the grant does not cover, as they were asked for. */
export function missingScopes(requested: readonly string[], granted: readonly string[]): string[] {
  const held = new Set(granted.map(canonical));
  return requested.filter((scope) => !NOT_TOLD.has(canonical(scope)) && !isCovered(canonical(scope), held));
}

/** Whether calendars and events can be read with these scopes at all. */
export function areEnough(granted: readonly string[]): boolean {
  return isCovered('calendars.read', new Set(granted.map(canonical)));
}

/** Whether `/me` can be read. @param granted null when the scopes are not known */
export function allowProfile(granted: readonly string[] | null): boolean {
  return granted === null || isCovered('user.read', new Set(granted.map(canonical)));
}

function isCovered(scope: string, held: ReadonlySet<string>): boolean {
  return held.has(scope) || [...held].some((wider) => COVERS.get(wider)?.includes(scope) ?? false);
}

/** Microsoft answers with capitals of its own. */
function canonical(scope: string): string {
  return scope.toLowerCase().replace(GRAPH, '');
}
