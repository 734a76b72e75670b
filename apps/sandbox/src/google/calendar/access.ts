import type { GoogleUser } from '../contract.js';
import { ROLES, type CalendarRecord, type Role } from './model.js';
import { notFound, requiredAccessLevel } from './errors.js';

/** Returns the highest role of a user in a calendar's ACL. */
export function roleOf(calendar: CalendarRecord, { email }: GoogleUser): Role {
  const address = email.toLowerCase();
  const domain = address.slice(address.lastIndexOf('@') + 1);
  let highest = 0;
  for (const { scope, role } of calendar.acl.values()) {
    const value = scope.value?.toLowerCase();
    const applies =
      scope.type === 'default' ||
      (scope.type === 'user' && value === address) ||
      (scope.type === 'domain' && value === domain);
    if (applies) highest = Math.max(highest, ROLES.indexOf(role));
  }
  return ROLES[highest]!;
}

export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** @throws GoogleErrorResponse 404 without any role, 403 `requiredAccessLevel` */
export function requireRole(calendar: CalendarRecord, user: GoogleUser, least: Role): Role {
  const role = roleOf(calendar, user);
  if (role === 'none') throw notFound();
  if (!isAtLeast(role, least)) throw requiredAccessLevel(least === 'owner' ? 'owner' : 'writer');
  return role;
}
