import { Injectable } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import type { Calendar, CalendarInput, DeletedCalendar } from '#domain/calendars';
import { invalid } from '#domain/system';
import { AccountAccess } from '../accounts/account-access.js';
import { readPageSize } from '../events/event-query.js';
import type { WriteResult } from '../events/events.service.js';
import { readTimeZone } from '../events/iso-time.js';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { SyncRequests } from '../sync/sync-requests.js';

export interface CalendarBody {
  name?: string | null;
  hexColor?: string | null;
  timeZone?: string | null;
}

export interface ListCalendarsParameters {
  pageSize?: number;
  pageToken?: string;
  syncToken?: string;
}

export interface CalendarPage {
  data: (Calendar | DeletedCalendar)[];
  nextPageToken?: string;
  nextSyncToken?: string;
}

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 250;
/** Without `#` six digits only, because `bad` and `face` are words. */
const HEX_COLOR = /^(?:#?[0-9a-f]{6}|#(?:[0-9a-f]{3,4}|[0-9a-f]{8}))$/i;

/** Calendars of one account, section 4.3 of the interface specification. Methods also throw the provider's codes. */
@Injectable()
export class CalendarsService {
  constructor(
    private readonly access: AccountAccess,
    private readonly tokens: SealedTokens,
    private readonly syncRequests: SyncRequests,
  ) {}

  /** @throws DomainError NotFound, EndUserAccountExpired, ValidationFailed, PageTokenInvalid, SyncTokenExpired */
  async list(
    application: ApplicationRef,
    accountId: string,
    parameters: ListCalendarsParameters,
    signal: AbortSignal,
  ): Promise<CalendarPage> {
    return this.access.use(application, accountId, signal, async ({ account, provider, session }) => {
      const pageSize = readPageSize(parameters.pageSize, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
      const binding = (kind: 'page' | 'sync') => ['calendars', kind, application.applicationId, account.id];
      const open = (kind: 'page' | 'sync', token: string | undefined) =>
        token === undefined ? null : this.tokens.open(binding(kind), token);
      const page = await provider.listCalendars(session, {
        pageSize,
        page: open('page', parameters.pageToken),
        sync: open('sync', parameters.syncToken),
      });
      return {
        data: page.items,
        ...(page.nextPage !== null && { nextPageToken: this.tokens.seal(binding('page'), page.nextPage) }),
        ...(page.nextSync !== null && { nextSyncToken: this.tokens.seal(binding('sync'), page.nextSync) }),
      };
    });
  }

  /** @throws DomainError NotFound, EndUserAccountExpired */
  async get(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    signal: AbortSignal,
  ): Promise<Calendar> {
    return this.access.use(application, accountId, signal, ({ provider, session }) =>
      provider.getCalendar(session, calendarId),
    );
  }

  /** @throws DomainError NotFound, EndUserAccountExpired, ValidationFailed, NotSupportedByProvider */
  async create(
    application: ApplicationRef,
    accountId: string,
    body: CalendarBody,
    options: { idempotencyKey?: string },
    signal: AbortSignal,
  ): Promise<WriteResult<Calendar>> {
    await this.access.getActive(application, accountId);
    const { name, ...input } = readCalendarInput(body);
    if (name === undefined) throw invalid('name', 'is required');
    return this.access.use(application, accountId, signal, async ({ provider, session }) => {
      const { calendar, ignoredFields } = await provider.createCalendar(session, { ...input, name }, options);
      return { result: calendar, ignoredFields };
    });
  }

  /** @throws DomainError NotFound, EndUserAccountExpired, ValidationFailed, Forbidden, ReadOnlyCalendar */
  async update(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    body: CalendarBody,
    signal: AbortSignal,
  ): Promise<WriteResult<Calendar>> {
    await this.access.getActive(application, accountId);
    const input = readCalendarInput(body);
    return this.access.use(application, accountId, signal, async ({ provider, session }) => {
      const { calendar, ignoredFields } = await provider.updateCalendar(session, calendarId, input);
      return { result: calendar, ignoredFields };
    });
  }

  /** @throws DomainError NotFound, EndUserAccountExpired, Forbidden */
  async delete(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    signal: AbortSignal,
  ): Promise<{ success: true }> {
    await this.access.use(application, accountId, signal, ({ provider, session }) =>
      provider.deleteCalendar(session, calendarId),
    );
    await this.syncRequests.calendar(application, accountId, calendarId);
    return { success: true };
  }
}

function readCalendarInput({ name, hexColor, timeZone }: CalendarBody): CalendarInput {
  if (name === null || (name !== undefined && (name.trim() === '' || name.length > 255))) {
    throw invalid('name', 'must have 1 to 255 characters');
  }
  return {
    ...(name !== undefined && { name }),
    ...(hexColor != null && { hexColor: readHexColor(hexColor) }),
    ...(timeZone != null && { timeZone: readTimeZone('timeZone', timeZone) }),
  };
}

/** `#RRGGBB`, upper case, from `#RRGGBB`, `RRGGBB`, `#RGB`, `#RGBA` or `#RRGGBBAA`. The model has no alpha part. */
function readHexColor(text: string): string {
  if (!HEX_COLOR.test(text)) throw invalid('hexColor', 'must be a colour such as #1A73E8 or 1A73E8');
  const digits = text.replace('#', '');
  const full = digits.length <= 4 ? [...digits].map((digit) => digit + digit).join('') : digits;
  return `#${full.slice(0, 6).toUpperCase()}`;
}
