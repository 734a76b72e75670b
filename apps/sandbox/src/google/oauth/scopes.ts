import { CALENDAR_SCOPES } from '../api/discovery.js';

const PREFIX = 'https://www.googleapis.com/auth/';
const EMAIL = `${PREFIX}userinfo.email`;
const PROFILE = `${PREFIX}userinfo.profile`;
const ALIASES: Readonly<Record<string, string>> = { email: EMAIL, profile: PROFILE };

/**
 * Consented to by signing in; what is asked for beside them can be refused one by one.
 * https://developers.google.com/identity/protocols/oauth2/resources/granular-permissions
 */
const SIGN_IN_SCOPES: ReadonlySet<string> = new Set([EMAIL, PROFILE, 'openid']);

/** Full names of a space-separated list, without repetitions. */
export function parseScopes(list: string): string[] {
  return [...new Set(list.split(' ').filter((scope) => scope !== ''))].map(canonicalScope);
}

/** `email` and `profile` come back under their full names. */
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

/** Google keeps no order; this one is never the one that clients ask in. */
export function scopeList(scopes: Iterable<string>): string {
  const order = (scope: string): string => `${isSignInScope(scope) ? 1 : 0}${scope}`;
  return [...scopes].sort((a, b) => (order(a) < order(b) ? -1 : 1)).join(' ');
}

/** What the consent page says. */
export function scopeDescription(scope: string): string {
  return CALENDAR_SCOPES.get(scope) ?? scope;
}

/** The last part of a scope's name, for people and for tests: `calendar.events`. */
export function shortScope(scope: string): string {
  return scope.startsWith(PREFIX) ? scope.slice(PREFIX.length) : scope;
}
