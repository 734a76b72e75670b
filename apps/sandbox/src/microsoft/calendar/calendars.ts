import { type Call, GraphErrorResponse, type GraphResponse } from '../contract.js';
import { calendarJson, type CalendarAccess } from './calendar-access.js';
import { writtenProperties } from './event-content.js';
import { expandedProperties, PROPERTIES, propertyRows } from './event-view.js';
import { folderId, mailboxKeyOf } from './ids.js';
import type { CalendarRecord } from './model.js';
import { arranged, propertyTest, expansionsOf, pageOf, selected, selectionOf, type Row } from './odata-options.js';
import { accessDenied } from './errors.js';
import type { Store } from './store.js';

interface CalendarInput {
  name?: string;
  color?: string;
  isDefaultCalendar?: boolean;
  singleValueExtendedProperties?: { id: string; value: string | null }[];
}

export class Calendars {
  constructor(
    private readonly store: Store,
    private readonly access: CalendarAccess,
  ) {}

  list(call: Call): GraphResponse {
    const isExpanded = propertyTest(expansionsOf(call.query, [PROPERTIES]).get(PROPERTIES));
    const selection = selectionOf(call.query);
    const rows = this.access
      .all(call.user)
      .map((view) => ({ ...calendarJson(view), [PROPERTIES]: propertyRows(view.calendar.properties) }));
    const page = pageOf(arranged(rows, call.query), call.query, call.url);
    const value = (page['value'] as Row[]).map(({ [PROPERTIES]: properties, ...row }) => ({
      ...selected(row, selection),
      ...expandedProperties(properties as Row[], isExpanded),
    }));
    return { status: 200, body: { ...page, value } };
  }

  create(call: Call): GraphResponse {
    const { user } = call;
    const { name = '', color = 'auto', singleValueExtendedProperties = [] } = inputOf(call);
    const { mailboxKey } = this.store.defaultCalendar(mailboxKeyOf(user));
    const made = this.store.addCalendar({ mailboxKey, name, color, isDefault: false });
    const properties = writtenProperties(made.properties, singleValueExtendedProperties);
    this.store.putCalendar({ ...made, properties });
    return { status: 201, body: calendarJson(this.access.byId(user, folderId(made.key))) };
  }

  get(call: Call): GraphResponse {
    const view = this.access.named(call);
    const isExpanded = propertyTest(expansionsOf(call.query, [PROPERTIES]).get(PROPERTIES));
    const row = selected(calendarJson(view), selectionOf(call.query));
    return { status: 200, body: { ...row, ...expandedProperties(propertyRows(view.calendar.properties), isExpanded) } };
  }

  update(call: Call): GraphResponse {
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

  /** Deleting a shared calendar removes only its entry. */
  delete(call: Call): GraphResponse {
    const { calendar, isShared, key } = this.access.named(call);
    if (isShared) this.store.removeShared({ key });
    else if (calendar.isDefault) {
      throw new GraphErrorResponse(400, 'ErrorDeleteDistinguishedFolder', 'Distinguished folders cannot be deleted.');
    } else this.store.removeCalendar(calendar);
    return { status: 204, body: null };
  }

  private unsetDefault({ mailboxKey }: CalendarRecord): void {
    this.store.putCalendar({ ...this.store.defaultCalendar(mailboxKey), isDefault: false });
  }
}

function inputOf({ body }: Call): CalendarInput {
  return body ?? {};
}
