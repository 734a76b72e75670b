import type { AuthorizationServer, CalendarProvider, CalendarPush, ProviderType } from '#domain';
import { asCall } from '#providers/kit/calls';
import type { ProviderOperation } from '#telemetry';

type MethodsOf<T> = { [M in keyof T]: T[M] extends (...given: never[]) => Promise<unknown> ? M : never }[keyof T];
/** What every method is called that asks the provider for something. */
type Operations<T> = Record<MethodsOf<T>, ProviderOperation>;

const OPERATIONS: Operations<CalendarProvider> = {
  connect: 'account.connect',
  verify: 'account.verify',
  listCalendars: 'calendars.list',
  getCalendar: 'calendars.get',
  createCalendar: 'calendars.create',
  updateCalendar: 'calendars.update',
  deleteCalendar: 'calendars.delete',
  listEvents: 'events.list',
  listOccurrences: 'events.occurrences',
  getEvent: 'events.get',
  createEvent: 'events.create',
  updateEvent: 'events.update',
  deleteEvent: 'events.delete',
  respond: 'events.respond',
  freeBusy: 'freeBusy.query',
};

const TOKENS: Operations<AuthorizationServer> = {
  exchange: 'token.exchange',
  refresh: 'token.refresh',
  identify: 'token.identify',
  revoke: 'token.revoke',
};

const CHANNELS: Operations<CalendarPush> = { open: 'channel.open', renew: 'channel.renew', stop: 'channel.stop' };

/** A provider whose requests are measured and traced by what they are for. Adapters know nothing of it. */
export function measuredProvider(provider: CalendarProvider): CalendarProvider {
  const { type, authorization, push } = provider;
  return measured(provider, type, OPERATIONS, {
    authorization: authorization === null ? null : measured(authorization, type, TOKENS),
    push: push === null ? null : measured(push, type, CHANNELS),
  });
}

/** @param parts that stand for those of the same name */
function measured<T extends object>(
  target: T,
  provider: ProviderType,
  operations: Partial<Record<string, ProviderOperation>>,
  parts: Readonly<Record<string, unknown>> = {},
): T {
  return new Proxy(target, {
    get(_, name) {
      if (typeof name === 'string' && name in parts) return parts[name];
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      const call = (...given: unknown[]): unknown => Reflect.apply(member, target, given);
      const operation = operations[String(name)];
      if (operation === undefined) return call;
      return (...given: unknown[]) => asCall({ provider, operation }, async () => call(...given));
    },
  });
}
