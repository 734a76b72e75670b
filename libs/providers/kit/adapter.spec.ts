import type { AuthorizationServer } from '#domain/oauth';
import type { AccountSession, CalendarProvider } from '#domain/providers';
import { DomainError, type ErrorCode } from '#domain/system';
import { UnlimitedRate } from '#domain/testing/memory-stores';
import { oauthSession } from '#domain/testing/oauth-session';
import { CATALOGUE, exposition, registerProviders } from '#platform/telemetry';
import { bindProvider, type ProviderAdapter } from './adapter.js';
import { instrumentTry, type Admission } from './calls/index.js';

registerProviders(['GOOGLE']);

/** Each connection is what it was opened with. */
interface Opened {
  session: AccountSession;
  admission: Admission;
}

class Denied extends Error {}

const session = oauthSession('mara.field@example.com', { clientId: 'c', accessToken: 'a', refreshToken: 'r' });
const budget = new UnlimitedRate();

/** Functions that ask the provider once and return their own name and arguments, in a group. */
function group(name: string): any {
  const named =
    (key: string) =>
    async ({ admission }: Opened, ...given: unknown[]) => {
      await admission.take();
      return instrumentTry(async () => [`${name}.${key}`, ...given]);
    };
  return new Proxy({}, { get: (own, key) => Reflect.get(own, key) ?? named(String(key)) });
}

class Server {
  readonly #tokens = 'tokens';
  isIssuer = () => true;
  refresh = () => instrumentTry(async () => this.#tokens);
}

function bound(changes: Partial<ProviderAdapter<Opened>> = {}): CalendarProvider {
  const authorization = new Server() as unknown as AuthorizationServer;
  const capabilities = {
    authentication: 'oauth',
    needsServerUrl: false,
    defaultEventPageSize: 100,
    syncExtent: 'calendar',
    rejectedTokenEndsGrant: true,
  } as const;
  return bindProvider<Opened>(
    { type: 'GOOGLE', authorization, capabilities, limits: { budget, requestsPerMinute: 60 } },
    {
      open: async (opened, admission) => ({ session: opened, admission }),
      connect: async (request) => ({ ...request, providerAccountId: 'p' }) as never,
      verify: group('account').verify,
      calendars: group('calendars'),
      events: group('events'),
      freeBusy: group('free_busy').query,
      watch: Object.assign(group('channel'), { usesOurIds: true }),
      toDomainError: (error) => error,
      ...changes,
    },
  );
}

async function measured(): Promise<Record<string, number>> {
  const { body } = await exposition(undefined);
  const lines = body.matchAll(/_count\{provider="GOOGLE",operation="([\w.]+)",outcome="ok"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, operation, count]) => [operation, Number(count)]));
}

/** Every method of the port that asks on a session, with arguments. */
const CALLS: [label: string, call: (provider: CalendarProvider) => Promise<unknown>, given: unknown[]][] = (
  [
    ['account.verify', 'verify', []],
    ['calendars.list', 'listCalendars', ['list']],
    ['calendars.get', 'getCalendar', ['c']],
    ['calendars.create', 'createCalendar', ['input', 'options']],
    ['calendars.update', 'updateCalendar', ['c', 'input']],
    ['calendars.delete', 'deleteCalendar', ['c']],
    ['events.list', 'listEvents', ['c', 'list']],
    ['events.occurrences', 'listOccurrences', ['c', 'e', 'list']],
    ['events.get', 'getEvent', ['c', 'e']],
    ['events.create', 'createEvent', ['c', 'input', 'options']],
    ['events.update', 'updateEvent', ['c', 'e', 'input', 'options']],
    ['events.delete', 'deleteEvent', ['c', 'e', 'options']],
    ['events.respond', 'respond', ['c', 'e', 'accepted', 'options']],
    ['free_busy.query', 'freeBusy', ['request']],
  ] as [string, string, unknown[]][]
).map(([label, method, given]) => [label, (provider: any) => provider[method](session, ...given), given]);

describe('bindProvider', () => {
  it.each(CALLS)(
    '%s runs on a connection of the session, within the budget, and is measured',
    async (label, call, given) => {
      const [before, taken] = [await measured(), budget.taken];
      expect(await call(bound())).toEqual([
        label,
        ...given,
        ...(label === 'free_busy.query' ? [expect.any(Function)] : []),
      ]);
      expect((await measured())[label]).toBe((before[label] ?? 0) + 1);
      expect(budget.taken).toBe(taken + 1);
    },
  );

  it('binds what pushes, or says that nothing does', async () => {
    const { push } = bound();
    expect(push?.usesOurIds).toBe(true);
    expect(await push?.open(session, 'c', {} as never)).toEqual(['channel.open', 'c', {}]);
    expect(await push?.renew(session, {} as never)).toEqual(['channel.renew', {}]);
    expect(await push?.stop(session, {} as never)).toEqual(['channel.stop', {}]);
    expect(bound({ watch: undefined }).push).toBeNull();
  });

  it('measures the requests for tokens, and leaves the rest of the authorization server alone', async () => {
    const { authorization } = bound();
    expect(await authorization?.refresh({} as never)).toBe('tokens');
    expect(authorization?.isIssuer('x')).toBe(true);
    expect((await measured())['token.refresh']).toBe(1);
  });

  it('connects without a session', async () => {
    expect(await bound().connect({ email: 'm@x' } as never)).toMatchObject({ email: 'm@x', providerAccountId: 'p' });
  });

  it.each([
    ['read', 'see the events', (provider: CalendarProvider) => provider.getEvent(session, 'c', 'e')],
    [
      'write',
      'create, change and delete events',
      (provider: CalendarProvider) => provider.deleteEvent(session, 'c', 'e', {}),
    ],
    ['read', 'be told of changes', (provider: CalendarProvider) => provider.push!.stop(session, {} as never)],
  ])('translates an error of the provider for a %s: %s', async (kind, permission, work) => {
    const operations: unknown[] = [];
    const provider = bound({
      open: () => {
        throw new Denied();
      },
      toDomainError(error, { kind: kindOf, permission: permissionOf }) {
        operations.push([kindOf, permissionOf]);
        return new TypeError((error as Error).constructor.name);
      },
    });
    await expect(work(provider)).rejects.toThrow(new TypeError('Denied'));
    expect(operations).toEqual([[kind, permission]]);
  });

  it.each<[ErrorCode, kept: string[], (provider: CalendarProvider) => Promise<unknown>]>([
    ['Conflict', [], (provider) => provider.getEvent(session, 'c', 'e')],
    ['PreconditionFailed', [], (provider) => provider.listEvents(session, 'c', {} as never)],
    ['PreconditionFailed', [], (provider) => provider.createEvent(session, 'c', {} as never, {})],
    ['PayloadTooLarge', [], (provider) => provider.deleteEvent(session, 'c', 'e', {})],
    ['PayloadTooLarge', [], (provider) => provider.listCalendars(session, {} as never)],
    ['SyncTokenExpired', [], (provider) => provider.getEvent(session, 'c', 'e')],
    ['Conflict', ['Conflict'], (provider) => provider.deleteCalendar(session, 'c')],
    ['PreconditionFailed', ['PreconditionFailed'], (provider) => provider.updateEvent(session, 'c', 'e', {}, {})],
    ['PayloadTooLarge', ['PayloadTooLarge'], (provider) => provider.createEvent(session, 'c', {} as never, {})],
    ['SyncTokenExpired', ['SyncTokenExpired'], (provider) => provider.listEvents(session, 'c', {} as never)],
    ['NotFound', ['NotFound'], (provider) => provider.getEvent(session, 'c', 'e')],
  ])('reports %s of the provider only where it makes sense (%j)', async (code, [kept], work) => {
    const refusal = { status: 499, code: 'x', message: 'No.', retryable: false };
    const provider = bound({ open: () => Promise.reject(new DomainError(code, 'No.', { provider: refusal })) });
    await expect(work(provider)).rejects.toMatchObject({
      code: kept ?? 'ProviderUnavailable',
      provider: { status: 499, retryable: kept === undefined },
    });
    const own = bound({ open: () => Promise.reject(new DomainError(code, 'Of this service.')) });
    await expect(work(own)).rejects.toMatchObject({ code });
  });

  it('asks for a better reason when a write to events is refused, and for nothing else', async () => {
    const asked: string[] = [];
    const deny = { get: () => async () => Promise.reject(new Denied()) };
    const provider = bound({
      calendars: new Proxy({} as never, deny),
      events: new Proxy({} as never, deny),
      async refineWriteError(error, connection, calendarId) {
        asked.push(`${connection.session.email} ${calendarId}`);
        return error instanceof Denied ? new RangeError('read-only') : error;
      },
    });
    await expect(provider.createEvent(session, 'c', {} as never, {})).rejects.toThrow(RangeError);
    await expect(provider.getEvent(session, 'c', 'e')).rejects.toThrow(Denied);
    await expect(provider.updateCalendar(session, 'c', {})).rejects.toThrow(Denied);
    expect(asked).toEqual(['mara.field@example.com c']);
  });

  it.each(['', '.', '..', 'a'.repeat(3_000), 'a\u0000b', '\udfff'])(
    'N19 knows without a connection that there is no event %j',
    async (eventId) => {
      const provider = bound({ open: () => Promise.reject(new TypeError('opened')) });
      for (const work of [
        () => provider.getEvent(session, 'c', eventId),
        () => provider.listOccurrences(session, 'c', eventId, {} as never),
        () => provider.updateEvent(session, 'c', eventId, {}, {}),
        () => provider.deleteEvent(session, 'c', eventId, {}),
        () => provider.respond(session, 'c', eventId, 'accepted', {}),
      ]) {
        await expect(work()).rejects.toMatchObject({ code: 'NotFound' });
      }
    },
  );

  it('is measured by names that telemetry knows', () => {
    const { operation } = CATALOGUE.calendar_provider_call_duration_seconds.labels;
    expect(operation).toEqual(expect.arrayContaining(CALLS.map(([label]) => label)));
  });
});
