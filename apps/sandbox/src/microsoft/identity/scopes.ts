import { aadsts } from './aadsts.js';

const GRAPH = 'https://graph.microsoft.com/';

/** Calendar permissions of https://learn.microsoft.com/graph/permissions-reference */
const DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ['openid', 'Sign you in'],
  ['profile', 'View your basic profile'],
  ['email', 'View your email address'],
  ['offline_access', 'Maintain access to data you have given it access to'],
  ['User.Read', 'Sign you in and read your profile'],
  ['Calendars.ReadBasic', 'Read basic details of your calendars'],
  ['Calendars.Read', 'Read your calendars'],
  ['Calendars.ReadWrite', 'Have full access to your calendars'],
  ['Calendars.Read.Shared', 'Read calendars you can access'],
  ['Calendars.ReadWrite.Shared', 'Read and write to your and shared calendars'],
  ['MailboxSettings.Read', 'Read your mailbox settings'],
  ['MailboxSettings.ReadWrite', 'Read and write to your mailbox settings'],
  ['OnlineMeetings.ReadWrite', 'Read and create your online meetings'],
]);
/** Personal accounts lack these permissions. */
const WORK_ONLY: ReadonlySet<string> = new Set([
  'Calendars.Read.Shared',
  'Calendars.ReadWrite.Shared',
  'OnlineMeetings.ReadWrite',
]);
const BY_LOWER_CASE = new Map([...DESCRIPTIONS.keys()].map((scope) => [scope.toLowerCase(), scope]));

export const ALL_SCOPES: readonly string[] = [...DESCRIPTIONS.keys()];

/** Parses a space-separated list to short names in documented spelling. @throws OAuthErrorResponse */
export function readScopes(list: string): string[] {
  const scopes = [...new Set(list.split(' ').filter((scope) => scope !== ''))].map(canonicalScope);
  const unknown = scopes.filter((scope) => !isKnownScope(scope));
  if (unknown.length === 0 && scopes.length > 0) return scopes;
  const message = `The provided request must include a 'scope' input parameter. The scope ${unknown.join(' ')} isn't valid.`;
  throw aadsts('invalid_scope', [70011], message);
}

/** Scopes are case-insensitive, and Graph's also have a long form. */
export function canonicalScope(scope: string): string {
  const short = scope.toLowerCase().startsWith(GRAPH) ? scope.slice(GRAPH.length) : scope;
  return BY_LOWER_CASE.get(short.toLowerCase()) ?? scope;
}

export const isKnownScope = (scope: string): boolean => DESCRIPTIONS.has(scope);
export const isWorkOnly = (scope: string): boolean => WORK_ONLY.has(scope);

export function scopeDescription(scope: string): string {
  return DESCRIPTIONS.get(scope) ?? scope;
}

/** Scopes of a token response: without `offline_access`, in another order and case than requested. */
export function echoedScopes(scopes: Iterable<string>): string {
  return [...scopes]
    .filter((scope) => scope !== 'offline_access')
    .map((scope) => scope.toLowerCase())
    .sort()
    .reverse()
    .join(' ');
}
