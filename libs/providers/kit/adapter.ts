import { LRUCache } from 'lru-cache';
import type { ProviderType } from '#domain/accounts';
import type { CalendarPush } from '#domain/channels';
import type { AuthorizationServer } from '#domain/oauth';
import type {
  AccountSession,
  CalendarProvider,
  FreeBusyOutcome,
  FreeBusyRequest,
  ProviderCapabilities,
} from '#domain/providers';
import { DomainError, type ErrorCode } from '#domain/system';
import type { ProviderOperation } from '#platform/telemetry';
import {
  Admission,
  withCallSpan,
  assertEventId,
  mapToDomainError,
  type AccountLimits,
  type ErrorMapping,
} from './calls/index.js';

/** Some errors mean different things to a reader and a writer. */
export interface AdapterOperation {
  kind: 'read' | 'write';
  /** Permission that the user has to grant: the text after "permission to". */
  permission: string;
}

interface BoundOperation extends AdapterOperation {
  /** Name in telemetry, and key of the adapter's function: `events.get` for the port's `getEvent`. */
  label: ProviderOperation;
  /** Whether the arguments begin with the ids of a calendar and of an event. */
  namesEvent?: true;
}

const SEE_CALENDARS = { kind: 'read', permission: 'see the calendars' } as const;
const CHANGE_CALENDARS = { kind: 'write', permission: 'create, change and delete calendars' } as const;
const SEE_EVENTS = { kind: 'read', permission: 'see the events' } as const;
const SEE_EVENT = { ...SEE_EVENTS, namesEvent: true } as const;
const CHANGE_EVENTS = { kind: 'write', permission: 'create, change and delete events' } as const;
const CHANGE_EVENT = { ...CHANGE_EVENTS, namesEvent: true } as const;
const RECEIVE_NOTIFICATIONS = { kind: 'read', permission: 'be told of changes' } as const;

type Methods<Port> = {
  [M in keyof Port]-?: Port[M] extends (...given: never[]) => Promise<unknown> ? M : never;
}[keyof Port];

const OPERATIONS = {
  connect: { label: 'account.connect', ...SEE_CALENDARS },
  verify: { label: 'account.verify', ...SEE_CALENDARS },
  listCalendars: { label: 'calendars.list', ...SEE_CALENDARS },
  getCalendar: { label: 'calendars.get', ...SEE_CALENDARS },
  createCalendar: { label: 'calendars.create', ...CHANGE_CALENDARS },
  updateCalendar: { label: 'calendars.update', ...CHANGE_CALENDARS },
  deleteCalendar: { label: 'calendars.delete', ...CHANGE_CALENDARS },
  listEvents: { label: 'events.list', ...SEE_EVENTS },
  listOccurrences: { label: 'events.occurrences', ...SEE_EVENT },
  getEvent: { label: 'events.get', ...SEE_EVENT },
  createEvent: { label: 'events.create', ...CHANGE_EVENTS },
  updateEvent: { label: 'events.update', ...CHANGE_EVENT },
  deleteEvent: { label: 'events.delete', ...CHANGE_EVENT },
  respond: { label: 'events.respond', ...CHANGE_EVENT },
  freeBusy: { label: 'free_busy.query', kind: 'read', permission: 'see when the calendars are busy' },
} as const satisfies Record<Methods<CalendarProvider>, BoundOperation>;

const CHANNEL_OPERATIONS = {
  open: { label: 'channel.open', ...RECEIVE_NOTIFICATIONS },
  renew: { label: 'channel.renew', ...RECEIVE_NOTIFICATIONS },
  stop: { label: 'channel.stop', ...RECEIVE_NOTIFICATIONS },
} as const satisfies Record<Methods<CalendarPush>, BoundOperation>;

const TOKEN_OPERATIONS: Readonly<Record<Methods<AuthorizationServer>, ProviderOperation>> = {
  exchange: 'token.exchange',
  refresh: 'token.refresh',
  identify: 'token.identify',
  revoke: 'token.revoke',
};

const CREATES_AND_CHANGES: readonly ProviderOperation[] = [
  'calendars.create',
  'calendars.update',
  'events.create',
  'events.update',
  'events.respond',
];

/** Operations that a provider can refuse with this error. As its answer to any other operation, it makes no sense. */
const OPERATIONS_BY_ERROR: Partial<Record<ErrorCode, ReadonlySet<ProviderOperation>>> = {
  Conflict: new Set([...CREATES_AND_CHANGES, 'calendars.delete', 'events.delete', 'channel.open']),
  PreconditionFailed: new Set(['events.update', 'events.delete']),
  PayloadTooLarge: new Set(CREATES_AND_CHANGES),
  SyncTokenExpired: new Set(['calendars.list', 'events.list', 'events.occurrences']),
};

/** A provider may answer with any status: an error that the operation cannot have becomes `ProviderUnavailable`. */
function errorOf(error: unknown, { label }: BoundOperation): unknown {
  if (!(error instanceof DomainError) || error.provider === undefined) return error;
  if (OPERATIONS_BY_ERROR[error.code]?.has(label) ?? true) return error;
  const senseless: ErrorMapping = ['ProviderUnavailable', 'The provider gave an answer that makes no sense.', true];
  return mapToDomainError(senseless, { ...error.provider, retryAfterMs: null });
}

type OnClient<Method, Client> = Method extends (session: AccountSession, ...given: infer Given) => infer Result
  ? (connection: Client, ...given: Given) => Result
  : never;

/** The functions whose labels start with `Name`, by the rest of their labels. */
type Group<Name extends string, Client> = {
  [
    M in keyof typeof OPERATIONS as (typeof OPERATIONS)[M]['label'] extends `${Name}.${infer Key}` ? Key : never
  ]: OnClient<CalendarProvider[M], Client>;
};

type ChannelFunctions<Client> = { [M in Methods<CalendarPush>]: OnClient<CalendarPush[M], Client> };

/** Opens, renews and stops channels. Arguments and errors as in `CalendarPush`. */
export type ChannelAdapter<Client> = Pick<CalendarPush, 'usesOurIds'> & ChannelFunctions<Client>;

/** Functions over a connection, as in `CalendarProvider`. They throw `DomainError` or errors of the provider. */
export interface ProviderAdapter<Client> {
  /** Opens a connection for one operation. Its requests pass `admission`. @throws DomainError CredentialsRejected */
  open(session: AccountSession, admission: Admission): Client | Promise<Client>;
  connect: CalendarProvider['connect'];
  verify: OnClient<CalendarProvider['verify'], Client>;
  calendars: Group<'calendars', Client>;
  events: Group<'events', Client>;
  /** @param toDomainError translates the error of a single calendar */
  freeBusy(
    connection: Client,
    request: FreeBusyRequest,
    toDomainError: (error: unknown) => unknown,
  ): Promise<FreeBusyOutcome[]>;
  /** undefined when the provider sends no notifications. */
  watch?: ChannelAdapter<Client>;
  toDomainError(error: unknown, operation: AdapterOperation): unknown;
  /** Returns a more specific error for a rejected write, or the error unchanged. */
  refineWriteError?(error: unknown, connection: Client, calendarId: string): Promise<unknown>;
}

export function inCalendar<Client, Calendar>(open: (connection: Client, id: string) => Promise<Calendar>) {
  return <Given extends unknown[], Result>(work: (calendar: Calendar, ...given: Given) => Promise<Result>) =>
    async (connection: Client, calendarId: string, ...given: Given): Promise<Result> =>
      work(await open(connection, calendarId), ...given);
}

export interface ProviderFacts {
  type: ProviderType;
  authorization: AuthorizationServer | null;
  capabilities: Omit<ProviderCapabilities, 'requestsPerMinute'>;
  limits: AccountLimits;
}

type AdapterFunction<Client> = (connection: Client, ...given: never[]) => Promise<unknown>;

/** Requests that an operation reserves the first time; see docs/development/provider-requests.md. */
const FIRST_REQUESTS = { read: 1, write: 2 } as const;
const MAX_RESERVED = 20;
const MAX_RECENT = 20_000;

/** Builds a provider that opens a connection per operation, and limits, traces and measures its calls. */
export function bindProvider<Client>(
  { type, authorization, capabilities, limits }: ProviderFacts,
  adapter: ProviderAdapter<Client>,
): CalendarProvider {
  const { watch } = adapter;
  const recent = new LRUCache<string, number>({ max: MAX_RECENT });
  const channel: ChannelFunctions<Client> | undefined = watch;
  const toDomainError = (error: unknown, operation: BoundOperation) =>
    errorOf(adapter.toDomainError(error, operation), operation);
  const groups: Readonly<Record<string, Readonly<Record<string, AdapterFunction<Client>>> | undefined>> = {
    account: { verify: adapter.verify },
    calendars: adapter.calendars,
    events: adapter.events,
    free_busy: {
      query: (connection, request: FreeBusyRequest) =>
        adapter.freeBusy(connection, request, (error) => toDomainError(error, OPERATIONS.freeBusy)),
    },
    channel,
  };

  const translated = <T>(operation: BoundOperation, work: () => Promise<T>): Promise<T> =>
    withCallSpan({ provider: type, operation: operation.label }, async () => {
      try {
        return await work();
      } catch (error) {
        throw toDomainError(error, operation);
      }
    });

  /** Admits an operation with the requests that it lately took on the account. */
  const inTurn = async <T>(
    { label, kind }: BoundOperation,
    session: AccountSession,
    work: (admission: Admission) => Promise<T>,
  ): Promise<T> => {
    const admission = new Admission(limits, session);
    const key = `${session.applicationId} ${session.accountId} ${label}`;
    await admission.enter(recent.get(key) ?? FIRST_REQUESTS[kind]);
    try {
      return await work(admission);
    } finally {
      recent.set(key, Math.min(Math.max(admission.sent, 1), MAX_RESERVED));
      await admission.leave();
    }
  };

  const bound = (operation: BoundOperation) => {
    const [group = '', name = ''] = operation.label.split('.');
    const functions = groups[group] as Readonly<Record<string, AdapterFunction<Client>>>;
    const isEventWrite = group === 'events' && operation.kind === 'write';
    return (session: AccountSession, ...given: unknown[]): Promise<unknown> =>
      translated(operation, async () => {
        const [calendarId = '', eventId = ''] = given as string[];
        if (operation.namesEvent) assertEventId(eventId);
        return inTurn(operation, session, async (admission) => {
          const connection = await adapter.open(session, admission);
          try {
            const run = functions[name] as AdapterFunction<Client>;
            return await (Reflect.apply(run, functions, [connection, ...given]) as Promise<unknown>);
          } catch (error) {
            if (!isEventWrite || adapter.refineWriteError === undefined) throw error;
            throw await adapter.refineWriteError(error, connection, calendarId);
          }
        });
      });
  };

  const boundAll = <Port>(operations: Readonly<Record<string, BoundOperation>>): Pick<Port, Methods<Port>> =>
    Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, bound(operation)])) as never;

  const { connect, ...onClient } = OPERATIONS;
  return {
    ...boundAll<CalendarProvider>(onClient),
    connect: (request) => translated(connect, () => adapter.connect(request)),
    type,
    capabilities: { ...capabilities, requestsPerMinute: limits.requestsPerMinute },
    authorization: authorization === null ? null : instrumentTokens(type, authorization),
    push: watch === undefined ? null : { usesOurIds: watch.usesOurIds, ...boundAll<CalendarPush>(CHANNEL_OPERATIONS) },
  };
}

function instrumentTokens(provider: ProviderType, authorization: AuthorizationServer): AuthorizationServer {
  const labels: Readonly<Record<string, ProviderOperation | undefined>> = TOKEN_OPERATIONS;
  return new Proxy(authorization, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      const operation = labels[String(name)];
      if (typeof member !== 'function') return member;
      const call = (...given: unknown[]): unknown => Reflect.apply(member, target, given);
      if (operation === undefined) return call;
      return (...given: unknown[]) => withCallSpan({ provider, operation }, async () => call(...given));
    },
  });
}
