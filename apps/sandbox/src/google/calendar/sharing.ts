import type { calendar_v3 } from '@googleapis/calendar';
import type { CalendarApiResponse, CalendarApiRequest } from '../contract.js';
import { requireRole, roleOf } from './access.js';
import { etagOf } from './ids.js';
import { type AclRule, type CalendarRecord, ROLES, type Role } from './model.js';
import { forbidden, invalid, required } from './errors.js';
import type { Store } from './store.js';
import type { SyncTokens } from './sync-tokens.js';

type WireRule = calendar_v3.Schema$AclRule;

const SCOPES = ['default', 'user', 'group', 'domain'];

/** `calendars/{id}/acl`: access rules of a calendar. */
export class Sharing {
  constructor(
    private readonly store: Store,
    private readonly syncTokens: SyncTokens,
  ) {}

  insert({ user, path, body: rule }: CalendarApiRequest): CalendarApiResponse {
    const calendar = this.store.calendarFor(user, path.calendarId!);
    requireRole(calendar, user, 'owner');
    const body: WireRule = rule ?? {};
    const scope = scopeOf(body);
    const role = readRole(body.role);
    const id = scope.value === undefined ? scope.type : `${scope.type}:${scope.value}`;
    const isDataOwner = scope.type === 'user' && scope.value?.toLowerCase() === calendar.dataOwner?.toLowerCase();
    if (isDataOwner && role !== 'owner') throw forbidden('Cannot change your own access level.');
    const written: AclRule = { id, scope, role, revision: this.store.nextRevision() };
    calendar.acl.set(id, written);
    // A sync token of the old access says nothing about the new view.
    const isOneUser = scope.type === 'user' && scope.value !== undefined;
    this.syncTokens.expire({ calendarId: calendar.id, ...(isOneUser ? { email: scope.value } : {}) });
    this.removeFromLists(calendar);
    return { status: 200, body: viewRule(written) };
  }

  private removeFromLists(calendar: CalendarRecord): void {
    for (const account of this.store.accounts.values()) {
      const entry = account.list.get(calendar.id.toLowerCase());
      if (entry === undefined || entry.isDeleted || roleOf(calendar, account.user) !== 'none') continue;
      this.store.putEntry(account, { ...entry, isDeleted: true });
    }
  }
}

function scopeOf({ scope }: WireRule): AclRule['scope'] {
  const type = scope?.type;
  if (type == null) throw required('Missing scope type.');
  if (!SCOPES.includes(type)) throw invalid('Invalid scope type.');
  if (type === 'default') return { type };
  if (scope?.value == null || scope.value === '') throw invalid('Invalid scope value.');
  return { type, value: scope.value.toLowerCase() };
}

function readRole(role: string | null | undefined): Role {
  if (role == null) throw required('Missing role.');
  if (!(ROLES as readonly string[]).includes(role)) throw invalid('Invalid role.');
  return role as Role;
}

function viewRule({ id, scope, role, revision }: AclRule): WireRule {
  return { kind: 'calendar#aclRule', etag: etagOf(revision), id, scope, role };
}
