import { CalendarPush, type AccountSession, type ChannelFacts, type ChannelRequest, type KnownChannel } from '#domain';

/** The push half of an adapter. Arguments and errors as in `CalendarPush`. */
export interface PushOperations<Connection> {
  readonly usesOurIds: boolean;
  open(connection: Connection, calendarId: string, request: ChannelRequest): Promise<ChannelFacts | null>;
  renew(connection: Connection, channel: KnownChannel): Promise<ChannelFacts | null>;
  stop(connection: Connection, channel: KnownChannel): Promise<void>;
}

/** Runs work on an account's connection. @throws DomainError */
export type WithConnection<Connection> = <T>(
  session: AccountSession,
  work: (connection: Connection) => Promise<T>,
) => Promise<T>;

/** Push by a provider that is spoken to through one connection per operation. */
export class ConnectedPush<Connection> extends CalendarPush {
  override readonly usesOurIds: boolean;

  constructor(
    private readonly operations: PushOperations<Connection>,
    private readonly withConnection: WithConnection<Connection>,
  ) {
    super();
    this.usesOurIds = operations.usesOurIds;
  }

  override open(session: AccountSession, calendarId: string, request: ChannelRequest): Promise<ChannelFacts | null> {
    return this.withConnection(session, (connection) => this.operations.open(connection, calendarId, request));
  }

  override renew(session: AccountSession, channel: KnownChannel): Promise<ChannelFacts | null> {
    return this.withConnection(session, (connection) => this.operations.renew(connection, channel));
  }

  override stop(session: AccountSession, channel: KnownChannel): Promise<void> {
    return this.withConnection(session, (connection) => this.operations.stop(connection, channel));
  }
}
