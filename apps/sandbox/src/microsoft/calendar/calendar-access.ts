import type { GraphRequest, MicrosoftUser } from '../contract.js';
import { addressOf } from '../users.js';
import { folderId, mailboxKeyOf, parseFolderId, parseItemId } from './ids.js';
import type { CalendarRecord, CalendarView, Item } from './model.js';
import { accessDenied, itemNotFound, noMailbox } from './errors.js';
import { itemOf } from './series.js';
import type { Store } from './store.js';

/** An event and the calendar through which the user sees it. */
export interface SeenItem extends Item {
  view: CalendarView;
}

/** Resolves the calendars and events that a user can access. */
export class CalendarAccess {
  constructor(private readonly store: Store) {}

  /**
   * Returns the user's own calendars and those shared with the user.
   * @throws GraphErrorResponse 404 `MailboxNotEnabledForRESTAPI`
   */
  all(user: MicrosoftUser): CalendarView[] {
    const mailboxKey = mailboxKeyOf(user);
    if (this.store.mailboxes.get(mailboxKey) === undefined) throw noMailbox();
    const own = this.store.calendarsOf(mailboxKey).map((calendar) => this.own(calendar, user));
    const shared = this.store.sharedWith(mailboxKey).flatMap(({ key, calendarKey, canEdit, revision }) => {
      const calendar = this.store.calendars.get(calendarKey);
      const owner = calendar === undefined ? undefined : this.store.mailboxes.get(calendar.mailboxKey);
      if (calendar === undefined || owner === undefined) return [];
      return [{ calendar, key, canEdit, owner, isShared: true, revision: Math.max(revision, calendar.revision) }];
    });
    return [...own, ...shared];
  }

  /** @throws GraphErrorResponse 404 `MailboxNotEnabledForRESTAPI` */
  default(user: MicrosoftUser): CalendarView {
    return this.own(this.store.defaultCalendar(mailboxKeyOf(user)), user);
  }

  /** Resolves the calendar of a path; the default one without an id. @throws GraphErrorResponse 400, 404 */
  named({ user, path }: Pick<GraphRequest, 'user' | 'path'>): CalendarView {
    const id = path['calendar-id'];
    return id === undefined ? this.default(user) : this.byId(user, id);
  }

  byId(user: MicrosoftUser, id: string): CalendarView {
    const views = this.all(user);
    const key = parseFolderId(id);
    const view = views.find((each) => each.key === key);
    if (view === undefined) throw itemNotFound();
    return view;
  }

  /** Like {@link named}, for writing. @throws GraphErrorResponse 403 too */
  writable(request: Pick<GraphRequest, 'user' | 'path'>): CalendarView {
    return writableView(this.named(request));
  }

  /**
   * Resolves the event of a path.
   * @param isAnyOwn true for a path without calendar, which covers all own calendars
   * @throws GraphErrorResponse 400, 404
   */
  item(request: Pick<GraphRequest, 'user' | 'path'>, isAnyOwn: boolean): SeenItem {
    const { user, path } = request;
    const named = this.named(request);
    const { key, date } = parseItemId(path['event-id']!);
    const record = this.store.presentEvent(key);
    const view = isAnyOwn ? this.ownView(user, record.calendarKey) : named;
    if (view?.calendar.key !== record.calendarKey) throw itemNotFound();
    return { ...itemOf(record, date), view };
  }

  /** Like {@link item}, for writing. @throws GraphErrorResponse 403 too */
  writableItem(request: Pick<GraphRequest, 'user' | 'path'>, isAnyOwn: boolean): SeenItem {
    const item = this.item(request, isAnyOwn);
    writableView(item.view);
    return item;
  }

  private ownView(user: MicrosoftUser, calendarKey: string): CalendarView | undefined {
    const calendar = this.store.calendars.get(calendarKey);
    return calendar?.mailboxKey === mailboxKeyOf(user) ? this.own(calendar, user) : undefined;
  }

  private own(calendar: CalendarRecord, owner: MicrosoftUser): CalendarView {
    return { calendar, key: calendar.key, revision: calendar.revision, canEdit: true, isShared: false, owner };
  }
}

/** https://learn.microsoft.com/graph/api/resources/calendar */
export function calendarJson(view: CalendarView): Record<string, unknown> {
  const { calendar, key, revision, canEdit, isShared, owner } = view;
  const isDefault = calendar.isDefault && !isShared;
  const providers = onlineMeetingProviders(view);
  return {
    id: folderId(key),
    name: calendar.name,
    color: calendar.color,
    hexColor: '',
    isDefaultCalendar: isDefault,
    changeKey: `calendar-${revision}`,
    canShare: !isShared,
    canViewPrivateItems: !isShared,
    canEdit,
    allowedOnlineMeetingProviders: providers,
    defaultOnlineMeetingProvider: providers[0] ?? 'unknown',
    isTallyingResponses: isDefault,
    isRemovable: !isDefault,
    owner: { name: owner.displayName, address: addressOf(owner) },
  };
}

/** Returns the kinds of online meetings that the calendar supports. */
export function onlineMeetingProviders({ owner }: Pick<CalendarView, 'owner'>): string[] {
  return owner.kind === 'work' ? ['teamsForBusiness'] : [];
}

function writableView(view: CalendarView): CalendarView {
  if (!view.canEdit) throw accessDenied();
  return view;
}
