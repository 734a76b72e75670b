import type { AccountSession, AuthorizationServer, ConnectedAccount, ConnectRequest, ProviderType } from '#domain';
import { type CalendarOperations, ConnectedProvider, type Operation } from '#providers/kit/calls';
import { isReadOnly } from './calendar-entry.js';
import { listCalendars } from './calendar-list.js';
import { deleteCalendar, getCalendar, updateCalendar } from './calendars.js';
import { GraphChannels } from './channels.js';
import { connectAccount } from './connect-account.js';
import { AccountConnection, type ConnectionDeps } from './connection.js';
import { GraphFault, type MicrosoftEventOperations } from './contract.js';
import { createCalendar } from './create-calendar.js';
import { graphFailure, isAccessDenied, readOnlyCalendar } from './errors.js';
import { queryFreeBusy } from './free-busy.js';

export interface MicrosoftAdapterParts extends ConnectionDeps {
  authorization: AuthorizationServer;
  events: MicrosoftEventOperations;
}

const DEFAULT_EVENT_PAGE_SIZE = 100;

/** Microsoft 365 and Outlook.com, by Microsoft Graph v1.0. */
export class MicrosoftProvider extends ConnectedProvider<AccountConnection> {
  override readonly type: ProviderType = 'MICROSOFT';
  protected override readonly calendars: CalendarOperations<AccountConnection> = {
    async verify(connection) {
      await connection.call('read', { method: 'GET', path: '/me/calendars', query: { $top: '1', $select: 'id' } });
    },
    list: listCalendars,
    get: getCalendar,
    create: createCalendar,
    update: updateCalendar,
    delete: deleteCalendar,
    freeBusy: queryFreeBusy,
  };

  constructor(private readonly parts: MicrosoftAdapterParts) {
    super({
      ...parts,
      channels: new GraphChannels(() => parts.nowMs(), parts.root),
      defaultEventPageSize: DEFAULT_EVENT_PAGE_SIZE,
      syncExtent: 'window',
      refusedTokenEndsGrant: false,
    });
  }

  protected override open(session: AccountSession): AccountConnection {
    return new AccountConnection(this.parts, session);
  }

  protected override connectAccount(request: ConnectRequest): Promise<ConnectedAccount> {
    return connectAccount(this.parts, request);
  }

  protected override told(error: unknown, operation: Operation): unknown {
    return error instanceof GraphFault ? graphFailure(error, operation) : error;
  }

  /** Graph denies access without saying to what: a calendar that has just become read-only is a reason. */
  protected override async explained(
    error: unknown,
    connection: AccountConnection,
    calendarId: string,
  ): Promise<unknown> {
    if (!(error instanceof GraphFault) || !isAccessDenied(error)) return error;
    return isReadOnly(await connection.freshCalendar(calendarId)) ? readOnlyCalendar(error) : error;
  }
}
