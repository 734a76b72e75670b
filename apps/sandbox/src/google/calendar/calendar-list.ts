import type { calendar_v3 } from '@googleapis/calendar';
import type { CalendarApiResponse, CalendarApiHost, CalendarApiRequest } from '../contract.js';
import { isAtLeast, requireRole, roleOf } from './access.js';
import { colorsOfId, isRgb, nearestColorId, nextColors, type CalendarColors } from './colors.js';
import { ALLOWED_CONFERENCES } from './event-conference.js';
import { readReminderList } from './event-content.js';
import { compact } from './event-view.js';
import { etagOf } from './ids.js';
import { mergePatch } from './merge-patch.js';
import type { Account, CalendarRecord, ListEntry, Role } from './model.js';
import type { PageTokens } from './page-tokens.js';
import { badCalendarRequest, invalid, notFound } from './errors.js';
import { checkIfMatch, fingerprintOf, flagParameter, isUnchanged, pageSizeOf, textParameter } from './request.js';
import type { Store } from './store.js';
import type { SyncTokens, TokenScope } from './sync-tokens.js';

type WireEntry = calendar_v3.Schema$CalendarListEntry;

const READ_ONLY = [
  'accessRole',
  'primary',
  'deleted',
  'dataOwner',
  'summary',
  'description',
  'location',
  'timeZone',
] as const;
const NOT_WITH_SYNC_TOKEN = ['minAccessRole', 'showOwnOrganizationOnly'];
const USUAL_PAGE = 100;
const MAX_PAGE_SIZE = 250;

/** `users/me/calendarList`: each user's list of calendars. */
export class CalendarLists {
  constructor(
    private readonly store: Store,
    private readonly host: CalendarApiHost,
    private readonly syncTokens: SyncTokens,
    private readonly pageTokens: PageTokens,
  ) {}

  list(request: CalendarApiRequest): CalendarApiResponse {
    const account = this.accountOf(request);
    const scope: TokenScope = {
      email: request.user.email.toLowerCase(),
      collection: 'calendarList',
      calendarId: null,
      fixed: '',
    };
    const sinceRevision = this.sinceRevision(request, scope);
    const page = this.pageTokens.page(
      textParameter(request, 'pageToken'),
      `${request.user.email} calendarList ${fingerprintOf(request, ['pageToken'])}`,
      pageSizeOf(request, USUAL_PAGE, MAX_PAGE_SIZE),
      () => ({
        items: sinceRevision === null ? this.shown(request, account) : changesOf(account, sinceRevision),
        revision: this.store.revision,
      }),
    );
    const isSyncable = NOT_WITH_SYNC_TOKEN.every((name) => request.query[name] === undefined);
    return {
      status: 200,
      body: compact({
        kind: 'calendar#calendarList',
        etag: `"p${this.store.revision}"`,
        nextPageToken: page.nextPageToken ?? undefined,
        nextSyncToken:
          page.nextPageToken === null && isSyncable ? this.syncTokens.issue(scope, page.revision) : undefined,
        items: page.items.map((entry) => this.view(account, entry)),
      }),
    };
  }

  get(request: CalendarApiRequest): CalendarApiResponse {
    const account = this.accountOf(request);
    const entry = this.existing(request, account);
    if (isUnchanged(request, this.etag(entry))) return { status: 304, body: null };
    return { status: 200, body: this.view(account, entry) };
  }

  insert(request: CalendarApiRequest): CalendarApiResponse {
    const account = this.accountOf(request);
    const body = this.bodyOf(request);
    const calendar = this.store.calendarFor(request.user, body.id ?? '');
    requireRole(calendar, request.user, 'freeBusyReader');
    const known = account.list.get(calendar.id.toLowerCase());
    const base = known === undefined || known.isDeleted ? newEntry(account, calendar) : known;
    return this.write(request, account, base, body);
  }

  patch(request: CalendarApiRequest): CalendarApiResponse {
    const account = this.accountOf(request);
    const entry = this.existing(request, account);
    checkIfMatch(request, this.etag(entry));
    const { summaryOverride, hidden, selected, defaultReminders, notificationSettings } = entry;
    const current = { summaryOverride, hidden, selected, defaultReminders, notificationSettings };
    return this.write(request, account, entry, mergePatch(current, this.bodyOf(request)) as WireEntry);
  }

  delete(request: CalendarApiRequest): CalendarApiResponse {
    const account = this.accountOf(request);
    const entry = this.existing(request, account);
    checkIfMatch(request, this.etag(entry));
    if (this.store.calendar(entry.calendarId)?.id === account.user.email) {
      throw badCalendarRequest('cannotChangeOwnPrimarySubscription', 'Cannot change own primary subscription.');
    }
    this.store.putEntry(account, { ...entry, isDeleted: true });
    return { status: 204, body: null };
  }

  add(account: Account, calendar: CalendarRecord, fields: Partial<ListEntry> = {}): void {
    this.store.putEntry(account, { ...newEntry(account, calendar), ...fields });
  }

  private write(request: CalendarApiRequest, account: Account, base: Omit<ListEntry, 'revision'>, written: WireEntry) {
    const entry = this.store.putEntry(account, {
      calendarId: base.calendarId,
      ...this.colorsOf(request, base),
      summaryOverride: written.summaryOverride || undefined,
      hidden: written.hidden ?? false,
      selected: written.selected ?? false,
      defaultReminders: readReminderList(written.defaultReminders ?? []),
      notificationSettings: written.notificationSettings ?? undefined,
      isDeleted: false,
    });
    return { status: 200, body: this.view(account, entry) };
  }

  /** RGB colours count only with `colorRgbFormat`, and then determine the id; otherwise the id determines them. */
  private colorsOf(request: CalendarApiRequest, base: CalendarColors): CalendarColors {
    const { colorId, backgroundColor, foregroundColor }: WireEntry = request.body ?? {};
    if (flagParameter(request, 'colorRgbFormat') === true) {
      for (const color of [backgroundColor, foregroundColor]) {
        if (color != null && !isRgb(color)) throw invalid('Invalid color value.');
      }
      return {
        colorId: backgroundColor == null ? base.colorId : nearestColorId(backgroundColor),
        backgroundColor: backgroundColor ?? base.backgroundColor,
        foregroundColor: foregroundColor ?? base.foregroundColor,
      };
    }
    if (backgroundColor != null || foregroundColor != null) {
      this.host.violation('calendarList: colours are ignored without colorRgbFormat=true');
    }
    if (colorId == null)
      return { colorId: base.colorId, backgroundColor: base.backgroundColor, foregroundColor: base.foregroundColor };
    const colors = colorsOfId(colorId);
    if (colors === null) throw invalid('Invalid color id.');
    return colors;
  }

  private shown(request: CalendarApiRequest, account: Account): ListEntry[] {
    const least = (textParameter(request, 'minAccessRole') ?? 'none') as Role;
    const showHidden = flagParameter(request, 'showHidden') ?? false;
    const showDeleted = flagParameter(request, 'showDeleted') ?? false;
    return [...account.list.values()].filter((entry) => {
      if (entry.isDeleted) return showDeleted;
      const calendar = this.store.calendar(entry.calendarId)!;
      return (showHidden || !entry.hidden) && isAtLeast(roleOf(calendar, account.user), least);
    });
  }

  private sinceRevision(request: CalendarApiRequest, scope: TokenScope): number | null {
    const syncToken = textParameter(request, 'syncToken');
    if (syncToken === undefined) return null;
    for (const name of NOT_WITH_SYNC_TOKEN) {
      if (request.query[name] !== undefined) {
        throw invalid(`The parameter ${name} cannot be combined with a sync token.`, name);
      }
    }
    for (const name of ['showDeleted', 'showHidden']) {
      if (flagParameter(request, name) === false) throw invalid(`${name} cannot be false with a sync token.`, name);
    }
    return this.syncTokens.redeem(syncToken, scope);
  }

  private existing(request: CalendarApiRequest, account: Account): ListEntry {
    const { calendarId = '' } = request.path;
    const id = calendarId === 'primary' ? account.user.email : calendarId;
    const entry = account.list.get(id.toLowerCase());
    if (entry === undefined || entry.isDeleted) throw notFound();
    return entry;
  }

  private accountOf({ user }: CalendarApiRequest): Account {
    const account = this.store.account(user.email);
    if (account === undefined) throw notFound();
    return account;
  }

  private bodyOf({ body }: CalendarApiRequest): WireEntry {
    const entry: WireEntry = body ?? {};
    for (const name of READ_ONLY) {
      if (entry[name] !== undefined) this.host.violation(`calendarList: ${name} is read-only`);
    }
    return entry;
  }

  private etag({ calendarId, revision }: ListEntry): string {
    return etagOf(Math.max(revision, this.store.calendar(calendarId)?.revision ?? 0));
  }

  private view({ user }: Account, entry: ListEntry): WireEntry {
    const calendar = this.store.calendar(entry.calendarId);
    const kind = 'calendar#calendarListEntry';
    if (entry.isDeleted || calendar === undefined) {
      return { kind, etag: this.etag(entry), id: entry.calendarId, deleted: true };
    }
    return compact({
      kind,
      etag: this.etag(entry),
      id: calendar.id,
      summary: calendar.summary,
      description: calendar.description,
      location: calendar.location,
      timeZone: calendar.timeZone,
      summaryOverride: entry.summaryOverride,
      colorId: entry.colorId,
      backgroundColor: entry.backgroundColor,
      foregroundColor: entry.foregroundColor,
      hidden: entry.hidden || undefined,
      selected: entry.selected || undefined,
      accessRole: roleOf(calendar, user),
      defaultReminders: [...entry.defaultReminders],
      notificationSettings: entry.notificationSettings,
      primary: calendar.id === user.email || undefined,
      dataOwner: calendar.kind === 'secondary' ? (calendar.dataOwner ?? undefined) : undefined,
      conferenceProperties: { allowedConferenceSolutionTypes: ALLOWED_CONFERENCES },
    });
  }
}

function newEntry(account: Account, { id }: CalendarRecord): Omit<ListEntry, 'revision'> {
  return {
    calendarId: id,
    ...nextColors(account.list.size),
    hidden: false,
    selected: false,
    defaultReminders: [],
    isDeleted: false,
  };
}

function changesOf(account: Account, sinceRevision: number): ListEntry[] {
  return [...account.list.values()]
    .filter(({ revision }) => revision > sinceRevision)
    .sort((a, b) => a.revision - b.revision);
}
