import type {
  AccountSession,
  AuthorizationServer,
  CalendarProvider,
  CalendarPush,
  FreeBusyOutcome,
  FreeBusyRequest,
  ProviderCapabilities,
  ProviderType,
} from '#domain';
import type { ProviderOperation } from '#platform/telemetry';
import { Admission, asCall, assertEventId, type AccountLimits } from './calls/index.js';

export interface Operation {
  kind: 'read' | 'write';
  /** What the user has to allow, after "permission to". */
  permission: string;
}

interface BoundOperation extends Operation {
  /** Whether the arguments begin with the ids of a calendar and of an event in it. */
  namesEvent?: true;
  isEventWrite?: true;
}

const SEE_CALENDARS: BoundOperation = { kind: 'read', permission: 'see the calendars' };
const CHANGE_CALENDARS: BoundOperation = { kind: 'write', permission: 'create, change and delete calendars' };
const SEE_EVENTS: BoundOperation = { kind: 'read', permission: 'see the events' };
const SEE_EVENT: BoundOperation = { ...SEE_EVENTS, namesEvent: true };
const CREATE_EVENT: BoundOperation = {
  kind: 'write',
  permission: 'create, change and delete events',
  isEventWrite: true,
};
const CHANGE_EVENT: BoundOperation = { ...CREATE_EVENT, namesEvent: true };
const SEE_BUSY: BoundOperation = { kind: 'read', permission: 'see when the calendars are busy' };
const BE_TOLD: BoundOperation = { kind: 'read', permission: 'be told of changes' };

/** A method of a port as a function of a connection, which takes the place of the session. */
type OnConnection<Method, Connection> = Method extends (session: AccountSession, ...given: infer Given) => infer Result
  ? (connection: Connection, ...given: Given) => Result
  : never;

/** Opens, renews and stops channels. Arguments and errors as in `CalendarPush`. */
export type Watch<Connection> = Pick<CalendarPush, 'usesOurIds'> & {
  [Method in 'open' | 'renew' | 'stop']: OnConnection<CalendarPush[Method], Connection>;
};

/**
 * Functions over a connection to a provider. Arguments and results as in `CalendarProvider`. They throw `DomainError`
 * or errors of the provider, which `toDomainError` translates.
 */
export interface ProviderAdapter<Connection> {
  /** For one operation. Requests of the connection go through the admission. @throws DomainError CredentialsRejected */
  open(session: AccountSession, admission: Admission): Connection | Promise<Connection>;
  connect: CalendarProvider['connect'];
  verify: OnConnection<CalendarProvider['verify'], Connection>;
  calendars: {
    list: OnConnection<CalendarProvider['listCalendars'], Connection>;
    get: OnConnection<CalendarProvider['getCalendar'], Connection>;
    create: OnConnection<CalendarProvider['createCalendar'], Connection>;
    update: OnConnection<CalendarProvider['updateCalendar'], Connection>;
    delete: OnConnection<CalendarProvider['deleteCalendar'], Connection>;
  };
  events: {
    list: OnConnection<CalendarProvider['listEvents'], Connection>;
    occurrences: OnConnection<CalendarProvider['listOccurrences'], Connection>;
    get: OnConnection<CalendarProvider['getEvent'], Connection>;
    create: OnConnection<CalendarProvider['createEvent'], Connection>;
    update: OnConnection<CalendarProvider['updateEvent'], Connection>;
    delete: OnConnection<CalendarProvider['deleteEvent'], Connection>;
    respond: OnConnection<CalendarProvider['respond'], Connection>;
  };
  /** @param toDomainError for calendars that fail by themselves */
  freeBusy(
    connection: Connection,
    request: FreeBusyRequest,
    toDomainError: (error: unknown) => unknown,
  ): Promise<FreeBusyOutcome[]>;
  watch?: Watch<Connection>;
  /** Translates an error of the provider; returns any other error unchanged. */
  toDomainError(error: unknown, operation: Operation): unknown;
  /** Returns a better reason why a write to the events of a calendar was refused, or the error unchanged. */
  explainRejectedWrite?(error: unknown, connection: Connection, calendarId: string): Promise<unknown>;
}

/** Makes functions of an open calendar functions of a connection and the id of a calendar. */
export function inCalendar<Connection, Calendar>(open: (connection: Connection, id: string) => Promise<Calendar>) {
  return <Given extends unknown[], Result>(work: (calendar: Calendar, ...given: Given) => Promise<Result>) =>
    async (connection: Connection, calendarId: string, ...given: Given): Promise<Result> =>
      work(await open(connection, calendarId), ...given);
}

export interface ProviderFacts {
  type: ProviderType;
  authorization: AuthorizationServer | null;
  capabilities: Omit<ProviderCapabilities, 'requestsPerMinute'>;
  limits: AccountLimits;
}

/** Makes an adapter a provider: a connection for each operation, within the account's limits, traced and measured. */
export function bindProvider<Connection>(
  { type, authorization, capabilities, limits }: ProviderFacts,
  adapter: ProviderAdapter<Connection>,
): CalendarProvider {
  const { calendars, events, watch } = adapter;

  const translated = <T>(label: ProviderOperation, operation: Operation, work: () => Promise<T>): Promise<T> =>
    asCall({ provider: type, operation: label }, async () => {
      try {
        return await work();
      } catch (error) {
        throw adapter.toDomainError(error, operation);
      }
    });

  const on =
    <Given extends unknown[], T>(
      label: ProviderOperation,
      operation: BoundOperation,
      run: (connection: Connection, ...given: Given) => Promise<T>,
    ) =>
    (session: AccountSession, ...given: Given): Promise<T> =>
      translated(label, operation, async () => {
        const [calendarId = '', eventId = ''] = given as unknown[] as string[];
        if (operation.namesEvent) assertEventId(eventId);
        const connection = await adapter.open(session, new Admission(limits, session));
        try {
          return await run(connection, ...given);
        } catch (error) {
          if (!operation.isEventWrite || adapter.explainRejectedWrite === undefined) throw error;
          throw await adapter.explainRejectedWrite(error, connection, calendarId);
        }
      });

  return {
    type,
    capabilities: { ...capabilities, requestsPerMinute: limits.requestsPerMinute },
    authorization: authorization === null ? null : measuredTokens(type, authorization),
    connect: (request) => translated('account.connect', SEE_CALENDARS, () => adapter.connect(request)),
    verify: on('account.verify', SEE_CALENDARS, adapter.verify),
    listCalendars: on('calendars.list', SEE_CALENDARS, calendars.list),
    getCalendar: on('calendars.get', SEE_CALENDARS, calendars.get),
    createCalendar: on('calendars.create', CHANGE_CALENDARS, calendars.create),
    updateCalendar: on('calendars.update', CHANGE_CALENDARS, calendars.update),
    deleteCalendar: on('calendars.delete', CHANGE_CALENDARS, calendars.delete),
    listEvents: on('events.list', SEE_EVENTS, events.list),
    listOccurrences: on('events.occurrences', SEE_EVENT, events.occurrences),
    getEvent: on('events.get', SEE_EVENT, events.get),
    createEvent: on('events.create', CREATE_EVENT, events.create),
    updateEvent: on('events.update', CHANGE_EVENT, events.update),
    deleteEvent: on('events.delete', CHANGE_EVENT, events.delete),
    respond: on('events.respond', CHANGE_EVENT, events.respond),
    freeBusy: on('freeBusy.query', SEE_BUSY, (connection, request: FreeBusyRequest) =>
      adapter.freeBusy(connection, request, (error) => adapter.toDomainError(error, SEE_BUSY)),
    ),
    push:
      watch === undefined
        ? null
        : {
            usesOurIds: watch.usesOurIds,
            open: on('channel.open', BE_TOLD, watch.open.bind(watch)),
            renew: on('channel.renew', BE_TOLD, watch.renew.bind(watch)),
            stop: on('channel.stop', BE_TOLD, watch.stop.bind(watch)),
          },
  };
}

const TOKEN_OPERATIONS: Readonly<Record<string, ProviderOperation | undefined>> = {
  exchange: 'token.exchange',
  refresh: 'token.refresh',
  identify: 'token.identify',
  revoke: 'token.revoke',
} satisfies { [Method in keyof AuthorizationServer]?: ProviderOperation };

function measuredTokens(provider: ProviderType, authorization: AuthorizationServer): AuthorizationServer {
  return new Proxy(authorization, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      const operation = TOKEN_OPERATIONS[String(name)];
      if (typeof member !== 'function') return member;
      const call = (...given: unknown[]): unknown => Reflect.apply(member, target, given);
      if (operation === undefined) return call;
      return (...given: unknown[]) => asCall({ provider, operation }, async () => call(...given));
    },
  });
}
