import { CALENDAR_SCOPES } from '../api/discovery.js';

const PREFIX = 'https://www.googleapis.com/auth/';
const EMAIL = `${PREFIX}userinfo.email`;
const PROFILE = `${PREFIX}userinfo.profile`;
const ALIASES: Readonly<Record<string, string>> = { email: EMAIL, profile: PROFILE };

/**
 * Granted by signing in; users can deny each of the other scopes.
 * https://developers.google.com/identity/protocols/oauth2/resources/granular-permissions
 */
const SIGN_IN_SCOPES: ReadonlySet<string> = new Set([EMAIL, PROFILE, 'openid']);

/** Parses a space-separated list to unique full names. */
export function parseScopes(list: string): string[] {
  return [...new Set(list.split(' ').filter((scope) => scope !== ''))].map(canonicalScope);
}

/** Google returns `email` and `profile` under their full names. */
export function canonicalScope(scope: string): string {
  return ALIASES[scope] ?? scope;
}

export function isKnownScope(scope: string): boolean {
  return isSignInScope(scope) || CALENDAR_SCOPES.has(scope);
}

export function isSignInScope(scope: string): boolean {
  return SIGN_IN_SCOPES.has(scope);
}

export const allowsEmail = (scopes: ReadonlySet<string>): boolean => scopes.has(EMAIL);
export const allowsProfile = (scopes: ReadonlySet<string>): boolean => scopes.has(PROFILE);

/** Google keeps no order; this one differs from any order of a client. */
export function scopeList(scopes: Iterable<string>): string {
  const order = (scope: string): string => `${isSignInScope(scope) ? 1 : 0}${scope}`;
  return [...scopes].sort((a, b) => (order(a) < order(b) ? -1 : 1)).join(' ');
}

export function scopeDescription(scope: string): string {
  return CALENDAR_SCOPES.get(scope) ?? scope;
}

/** Last part of a scope's name, for pages and tests: `calendar.events`. */
export function shortScope(scope: string): string {
  return scope.startsWith(PREFIX) ? scope.slice(PREFIX.length) : scope;
}
