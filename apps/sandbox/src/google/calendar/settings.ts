import type { CalendarApiAnswer, CalendarApiRequest, GoogleUser } from '../contract.js';
import { compact } from './event-view.js';
import { etagOf } from './ids.js';
import type { PageTokens } from './page-tokens.js';
import { notFound } from './refusals.js';
import { fingerprintOf, pageSizeOf, textParameter } from './request.js';
import type { SyncTokens, TokenScope } from './sync-tokens.js';

/** https://developers.google.com/workspace/calendar/api/v3/reference/settings */
const FIXED_SETTINGS = {
  autoAddHangouts: 'false',
  dateFieldOrder: 'DMY',
  defaultEventLength: '60',
  format24HourTime: 'true',
  hideInvitations: 'false',
  hideWeekends: 'false',
  locale: 'en_GB',
  remindOnRespondedEventsOnly: 'false',
  showDeclinedEvents: 'true',
  useKeyboardShortcuts: 'true',
  weekStart: '1',
};

const USUAL_PAGE = 100;
const LARGEST_PAGE = 250;

/** `users/me/settings`. Nothing here changes them. */
export class Settings {
  constructor(
    private readonly syncTokens: SyncTokens,
    private readonly pageTokens: PageTokens,
  ) {}

  list(request: CalendarApiRequest): CalendarApiAnswer {
    const scope: TokenScope = {
      email: request.user.email.toLowerCase(),
      collection: 'settings',
      calendarId: null,
      fixed: '',
    };
    const syncToken = textParameter(request, 'syncToken');
    if (syncToken !== undefined) this.syncTokens.redeem(syncToken, scope);
    const page = this.pageTokens.page(
      textParameter(request, 'pageToken'),
      `${request.user.email} settings ${fingerprintOf(request, ['pageToken'])}`,
      pageSizeOf(request, USUAL_PAGE, LARGEST_PAGE),
      () => ({ items: syncToken === undefined ? [...settingsOf(request.user)] : [], revision: 0 }),
    );
    return {
      status: 200,
      body: compact({
        kind: 'calendar#settings',
        etag: etagOf(0),
        nextPageToken: page.nextPageToken ?? undefined,
        nextSyncToken: page.nextPageToken === null ? this.syncTokens.issue(scope, page.revision) : undefined,
        items: page.items.map(([id, value]) => viewSetting(id, value)),
      }),
    };
  }

  get({ user, path }: CalendarApiRequest): CalendarApiAnswer {
    const value = settingsOf(user).get(path.setting!);
    if (value === undefined) throw notFound();
    return { status: 200, body: viewSetting(path.setting!, value) };
  }
}

function settingsOf({ timeZone }: GoogleUser): Map<string, string> {
  return new Map([...Object.entries(FIXED_SETTINGS), ['timezone', timeZone]]);
}

function viewSetting(id: string, value: string) {
  return { kind: 'calendar#setting', etag: etagOf(0), id, value };
}
