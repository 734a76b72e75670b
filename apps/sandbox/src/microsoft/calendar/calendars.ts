import { GraphRefusal, type GraphAnswer, type MicrosoftUser } from '../contract.js';
import type { Call } from './call.js';
import { calendarJson, type CalendarAccess } from './calendar-access.js';
import { writtenProperties } from './event-content.js';
import { folderId, mailboxKeyOf, parseFolderId } from './ids.js';
import type { CalendarGroup, CalendarRecord, CalendarView } from './model.js';
import { arranged, propertyTest, expansionsOf, pageOf, selected, selectionOf, type Row } from './odata-options.js';
import { accessDenied, folderExists, itemNotFound, noMailbox } from './refusals.js';
import type { Store } from './store.js';

interface CalendarInput {
  name?: string;
  color?: string;
  isDefaultCalendar?: boolean;
  singleValueExtendedProperties?: { id: string; value: string | null }[];
}

const PROPERTIES = 'singleValueExtendedProperties';
/** Of the class of calendar groups, as Graph tells it. */
const CLASS_ID = '0006f0b7-0000-0000-c000-000000000046';

/** Calendars and the groups that they are in. */
export class Calendars {
  constructor(
    private readonly store: Store,
    private readonly access: CalendarAccess,
  ) {}

  list(call: Call): GraphAnswer {
    const group = this.group(call);
    const all = this.access.all(call.user);
    const views = group === null ? all : all.filter((view) => groupKeyOf(view, group) === group.key);
    const isExpanded = propertyTest(expansionsOf(call.query, [PROPERTIES]).get(PROPERTIES));
    const selection = selectionOf(call.query);
    const rows = views.map((view) => ({ ...calendarJson(view), [PROPERTIES]: rowsOf(view) }));
    const page = pageOf(arranged(rows, call.query), call.query, call.url);
    const value = (page['value'] as Row[]).map(({ [PROPERTIES]: properties, ...row }) => ({
      ...selected(row, selection),
      ...expanded(properties as Row[], isExpanded),
    }));
    return { status: 200, body: { ...page, value } };
  }

  create(call: Call): GraphAnswer {
    const { user } = call;
    const { name = '', color = 'auto', singleValueExtendedProperties = [] } = inputOf(call);
    const groupKey = (this.group(call) ?? this.defaultGroup(user)).key;
    const made = this.store.addCalendar({ mailboxKey: mailboxKeyOf(user), groupKey, name, color, isDefault: false });
    const properties = writtenProperties(made.properties, singleValueExtendedProperties);
    this.store.putCalendar({ ...made, properties });
    return { status: 201, body: calendarJson(this.access.byId(user, folderId(made.key))) };
  }

  get(call: Call): GraphAnswer {
    const view = this.access.named(call);
    const isExpanded = propertyTest(expansionsOf(call.query, [PROPERTIES]).get(PROPERTIES));
    const row = selected(calendarJson(view), selectionOf(call.query));
    return { status: 200, body: { ...row, ...expanded(rowsOf(view), isExpanded) } };
  }

  update(call: Call): GraphAnswer {
    const { calendar, isShared, key } = this.access.writable(call);
    if (isShared) throw accessDenied();
    const { name, color, isDefaultCalendar, singleValueExtendedProperties = [] } = inputOf(call);
    if (isDefaultCalendar === true && !calendar.isDefault) this.unsetDefault(calendar);
    this.store.putCalendar({
      ...calendar,
      ...(name !== undefined && { name }),
      ...(color !== undefined && { color }),
      isDefault: calendar.isDefault || isDefaultCalendar === true,
      properties: writtenProperties(calendar.properties, singleValueExtendedProperties),
    });
    return { status: 200, body: calendarJson(this.access.byId(call.user, folderId(key))) };
  }

  /** Of somebody else's calendar only the entry goes. */
  delete(call: Call): GraphAnswer {
    const { calendar, isShared, key } = this.access.named(call);
    if (isShared) this.store.removeShared({ key });
    else if (calendar.isDefault) {
      throw new GraphRefusal(400, 'ErrorDeleteDistinguishedFolder', 'Distinguished folders cannot be deleted.');
    } else this.store.removeCalendar(calendar);
    return { status: 204, body: null };
  }

  listGroups({ user, query, url }: Call): GraphAnswer {
    const rows = this.store.groupsOf(mailboxKeyOf(user)).map(groupJson);
    const page = pageOf(arranged(rows, query), query, url);
    const value = (page['value'] as Row[]).map((row) => selected(row, selectionOf(query)));
    return { status: 200, body: { ...page, value } };
  }

  createGroup(call: Call): GraphAnswer {
    const { mailboxKey } = this.defaultGroup(call.user);
    const name = this.freeGroupName(call, null);
    const key = this.store.keys.next('group');
    return { status: 201, body: groupJson(this.store.putGroup({ key, mailboxKey, name, isDefault: false })) };
  }

  getGroup(call: Call): GraphAnswer {
    return { status: 200, body: selected(groupJson(this.namedGroup(call)), selectionOf(call.query)) };
  }

  updateGroup(call: Call): GraphAnswer {
    const group = this.namedGroup(call);
    return { status: 200, body: groupJson(this.store.putGroup({ ...group, name: this.freeGroupName(call, group) })) };
  }

  /** Only an empty group that is not the first one goes. */
  deleteGroup(call: Call): GraphAnswer {
    const group = this.namedGroup(call);
    const isUsed = this.store.calendarsOf(mailboxKeyOf(call.user)).some(({ groupKey }) => groupKey === group.key);
    if (group.isDefault || isUsed) {
      throw new GraphRefusal(400, 'ErrorCalendarGroupIsNotEmpty', 'The calendar group cannot be deleted.');
    }
    this.store.removeGroup(group);
    return { status: 204, body: null };
  }

  private unsetDefault({ mailboxKey }: CalendarRecord): void {
    this.store.putCalendar({ ...this.store.defaultCalendar(mailboxKey), isDefault: false });
  }

  private group(call: Call): CalendarGroup | null {
    return call.path['calendarGroup-id'] === undefined ? null : this.namedGroup(call);
  }

  private namedGroup({ user, path }: Call): CalendarGroup {
    const key = parseFolderId(path['calendarGroup-id']!);
    const group = this.store.groupsOf(mailboxKeyOf(user)).find((each) => each.key === key);
    if (group === undefined) throw itemNotFound();
    return group;
  }

  /** @throws GraphRefusal 404 without a mailbox */
  private defaultGroup(user: MicrosoftUser): CalendarGroup {
    const group = this.store.groupsOf(mailboxKeyOf(user)).find(({ isDefault }) => isDefault);
    if (group === undefined) throw noMailbox();
    return group;
  }

  private freeGroupName({ user, body }: Call, own: CalendarGroup | null): string {
    const name = (body as { name: string }).name;
    const twin = this.store
      .groupsOf(mailboxKeyOf(user))
      .find((group) => group.name.toLowerCase() === name.toLowerCase());
    if (twin !== undefined && twin.key !== own?.key) throw folderExists();
    return name;
  }
}

function inputOf({ body }: Call): CalendarInput {
  return body ?? {};
}

/** Calendars of others are in nobody's group but the first. */
function groupKeyOf({ calendar, isShared }: CalendarView, group: CalendarGroup): string | null {
  if (!isShared) return calendar.groupKey;
  return group.isDefault ? group.key : null;
}

function groupJson({ key, name, revision }: CalendarGroup): Row {
  return { id: folderId(key), name, classId: CLASS_ID, changeKey: `group-${revision}` };
}

function rowsOf({ calendar }: CalendarView): Row[] {
  return Object.entries(calendar.properties).map(([id, value]) => ({ id, value }));
}

function expanded(rows: readonly Row[], isExpanded: (row: Row) => boolean): Row {
  const found = rows.filter(isExpanded);
  return found.length > 0 ? { [PROPERTIES]: found } : {};
}
