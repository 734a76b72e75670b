/** Enough for every call, without an administrator's consent. */
export const DEFAULT_SCOPES: readonly string[] = [
  'openid',
  'profile',
  'email',
  'offline_access',
  'User.Read',
  'Calendars.ReadWrite',
  'MailboxSettings.Read',
];

/** Permissions may be URLs of Graph in any of its clouds. */
const GRAPH = /^https:\/\/(?:graph\.microsoft\.com|(?:dod-)?graph\.microsoft\.us|microsoftgraph\.chinacloudapi\.cn)\/+/;

/** Sign-in scopes, which token answers may leave out. */
const NEVER_REPORTED: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'offline_access']);

const BASIC = ['calendars.readbasic'];
const READ = ['calendars.read', ...BASIC];

/** Narrower permissions that a wider one includes: https://learn.microsoft.com/graph/permissions-reference */
const COVERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['calendars.read', BASIC],
  ['calendars.read.shared', READ],
  ['calendars.readwrite', READ],
  ['calendars.readwrite.shared', ['calendars.readwrite', 'calendars.read.shared', ...READ]],
  ['mailboxsettings.readwrite', ['mailboxsettings.read']],
  ['onlinemeetings.readwrite', ['onlinemeetings.read']],
  ['user.readwrite', ['user.read']],
]);

/** Returns requested scopes that the grant does not cover, in the requested spelling. */
export function missingScopes(requested: readonly string[], granted: readonly string[]): string[] {
  const held = new Set(granted.map(canonical));
  return requested.filter((scope) => !NEVER_REPORTED.has(canonical(scope)) && !isCovered(canonical(scope), held));
}

export function areEnough(granted: readonly string[]): boolean {
  return isCovered('calendars.read', new Set(granted.map(canonical)));
}

/** @param granted null when unknown */
export function allowProfile(granted: readonly string[] | null): boolean {
  return granted === null || isCovered('user.read', new Set(granted.map(canonical)));
}

function isCovered(scope: string, held: ReadonlySet<string>): boolean {
  return held.has(scope) || [...held].some((wider) => COVERS.get(wider)?.includes(scope) ?? false);
}

/** Microsoft changes capitals. */
function canonical(scope: string): string {
  return scope.toLowerCase().replace(GRAPH, '');
}
