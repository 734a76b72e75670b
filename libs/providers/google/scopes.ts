const PREFIX = 'https://www.googleapis.com/auth/';

/** One box on the consent page: the user cannot grant half of it. */
export const DEFAULT_SCOPES: readonly string[] = ['openid', 'email', `${PREFIX}calendar`];

/** Google's names of granted scopes. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['email', `${PREFIX}userinfo.email`],
  ['profile', `${PREFIX}userinfo.profile`],
]);

const READ_EVENTS = ['calendar.events.owned.readonly', 'calendar.events.public.readonly'];
const READ_ALL = [
  'calendar.calendarlist.readonly',
  'calendar.calendars.readonly',
  'calendar.events.readonly',
  'calendar.events.freebusy',
  'calendar.freebusy',
  'calendar.settings.readonly',
  ...READ_EVENTS,
];

/** Narrower scopes that a wider one includes: https://developers.google.com/workspace/calendar/api/auth */
const COVERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['calendar.readonly', READ_ALL],
  ['calendar.acls', ['calendar.acls.readonly']],
  ['calendar.calendarlist', ['calendar.calendarlist.readonly']],
  ['calendar.calendars', ['calendar.calendars.readonly']],
  ['calendar.events', ['calendar.events.readonly', 'calendar.events.owned', ...READ_EVENTS]],
  ['calendar.events.readonly', READ_EVENTS],
  ['calendar.events.owned', ['calendar.events.owned.readonly']],
  ['calendar.events.freebusy', ['calendar.freebusy']],
]);

const LIST_CALENDARS = 'calendar.calendarlist.readonly';
/** Each one allows reading the events of a calendar. */
const LIST_EVENTS = [
  'calendar.events.readonly',
  'calendar.events.owned.readonly',
  'calendar.events.public.readonly',
  'calendar.events.freebusy',
];

/** Returns requested scopes that the grant does not cover, in the requested spelling. */
export function missingScopes(requested: readonly string[], granted: readonly string[]): string[] {
  const held = new Set(granted.map(canonical));
  return requested.filter((scope) => !isCovered(canonical(scope), held));
}

export function areEnough(granted: readonly string[]): boolean {
  const held = new Set(granted.map(canonical));
  const isHeld = (name: string) => isCovered(PREFIX + name, held);
  return isHeld(LIST_CALENDARS) && LIST_EVENTS.some(isHeld);
}

function isCovered(scope: string, held: ReadonlySet<string>): boolean {
  if (held.has(scope)) return true;
  const name = calendarScope(scope);
  if (name === null) return false;
  return [...held].some((each) => {
    const wider = calendarScope(each);
    if (wider === null) return false;
    return wider === 'calendar' ? name.startsWith('calendar.') : (COVERS.get(wider)?.includes(name) ?? false);
  });
}

function calendarScope(scope: string): string | null {
  const name = scope.startsWith(PREFIX) ? scope.slice(PREFIX.length) : '';
  return name === 'calendar' || name.startsWith('calendar.') ? name : null;
}

function canonical(scope: string): string {
  return ALIASES.get(scope) ?? scope;
}
