import type { AccountSession, AuthorizationServer, ConnectedAccount, ConnectRequest, ProviderType } from '#domain';
import { type CalendarOperations, ConnectedProvider, type Operation } from '#providers/kit/calls';
import { isReadOnly } from './calendar-entry.js';
import { listCalendars } from './calendar-list.js';
import { deleteCalendar, getCalendar, updateCalendar } from './calendars.js';
import { GoogleChannels } from './channels.js';
import { connectAccount } from './connect-account.js';
import { AccountConnection, type ConnectionDeps } from './connection.js';
import { GoogleFault, type GoogleEventOperations } from './contract.js';
import { createCalendar } from './create-calendar.js';
import { googleFailure, readOnlyCalendar } from './errors.js';
import { queryFreeBusy } from './free-busy.js';
import { verifyAccess } from './verify-access.js';

export interface GoogleAdapterParts extends ConnectionDeps {
  authorization: AuthorizationServer;
  events: GoogleEventOperations;
}

const DEFAULT_EVENT_PAGE_SIZE = 400;

/** Google Calendar API v3. */
export class GoogleProvider extends ConnectedProvider<AccountConnection> {
  override readonly type: ProviderType = 'GOOGLE';
  protected override readonly calendars: CalendarOperations<AccountConnection> = {
    verify: verifyAccess,
    list: listCalendars,
    get: getCalendar,
    create: createCalendar,
    update: updateCalendar,
    delete: deleteCalendar,
    freeBusy: queryFreeBusy,
  };

  constructor(private readonly parts: GoogleAdapterParts) {
    super({
      ...parts,
      channels: new GoogleChannels(() => parts.nowMs(), parts.endpoints.calendar),
      defaultEventPageSize: DEFAULT_EVENT_PAGE_SIZE,
      syncExtent: 'calendar',
      refusedTokenEndsGrant: true,
    });
  }

  protected override open(session: AccountSession): AccountConnection {
    return new AccountConnection(this.parts, session);
  }

  protected override connectAccount(request: ConnectRequest): Promise<ConnectedAccount> {
    return connectAccount(this.parts, request);
  }

  protected override told(error: unknown, operation: Operation): unknown {
    return error instanceof GoogleFault ? googleFailure(error, operation) : error;
  }

  /** Google says `forbidden` to many things; when the role in the calendar is the reason, the caller is told so. */
  protected override async explained(
    error: unknown,
    connection: AccountConnection,
    calendarId: string,
  ): Promise<unknown> {
    if (!(error instanceof GoogleFault) || error.status !== 403 || error.code !== 'forbidden') return error;
    return isReadOnly(await connection.calendar(calendarId)) ? readOnlyCalendar(error) : error;
  }
}
