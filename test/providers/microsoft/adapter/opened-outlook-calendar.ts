import {
  WHOLE_CALENDAR,
  type AccountSession,
  type CalendarProvider,
  type EventQuery,
  type ProviderConcurrencyLimiter,
} from '#domain/providers';
import type { JsonValue } from '#domain/system';
import { GuardedEgress } from '#egress';
import { createMicrosoftProvider } from '#providers/microsoft';
import { CountedPermits, MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { oauthSession } from '#domain/testing/oauth-session';
import { openSandbox } from '../../../support/opened-sandbox.js';
import { readEvents } from '#domain/testing/read-events';
import { MicrosoftSandboxControls } from '../../../support/sandbox-microsoft.js';

/** Organises what the tests are about. */
export const IDA = 'ida@fabrikam.example';
/** Has a mailbox in the same sandbox, so that invitations arrive. */
export const OMAR = 'omar@fabrikam.example';

const CLIENT = {
  clientId: '5e2c1a70-0d7c-4a1e-9b57-3b1f6a2d9c02',
  clientSecret: 'adapter-secret',
  redirectUris: ['http://127.0.0.1/'],
};

/** The adapter on the sandbox, both in this process, with accounts for Ida and Omar. */
export async function openOutlook(slots: ProviderConcurrencyLimiter = new CountedPermits()) {
  const { sandbox, control } = await openSandbox();
  const egress = new GuardedEgress({ allow: '127.0.0.0/8' });
  const snapshots = new MemorySnapshots();
  const provider: CalendarProvider = createMicrosoftProvider({
    egress,
    budget: new UnlimitedRate(),
    slots,
    snapshots,
    graphUrl: `${sandbox.urls.microsoft}/v1.0`,
    loginUrl: sandbox.urls.microsoft,
    requestsPerMinute: 100_000,
    timeoutMs: 30_000,
    nowMs: () => Date.now(),
  });
  const microsoft = new MicrosoftSandboxControls(sandbox.urls.microsoft, control);
  await microsoft.addClient(CLIENT);
  const sessionOf = async (email: string): Promise<AccountSession> => {
    await microsoft.addUser({ email, mailboxTimeZone: 'W. Europe Standard Time' });
    const grant = await microsoft.grant(email, CLIENT.clientId);
    return oauthSession(email, { clientId: CLIENT.clientId, ...grant });
  };
  const session = await sessionOf(IDA);
  const omar = await sessionOf(OMAR);
  return {
    provider,
    session,
    omar,
    microsoft,
    snapshots,
    /** Another calendar of Ida's. */
    async newCalendar(name: string): Promise<string> {
      const { calendar } = await provider.createCalendar(session, { name, timeZone: 'Europe/Berlin' }, {});
      return calendar.id;
    },
    /** Reads to the end. */
    list(calendarId: string, query: EventQuery = WHOLE_CALENDAR, sync: JsonValue | null = null, pageSize = 100) {
      return readEvents((list) => provider.listEvents(session, calendarId, list), { query, pageSize, sync });
    },
    /** Fails when the adapter sent what no correct client sends. */
    async close() {
      const violations = await microsoft.violations();
      await egress.close();
      await sandbox.close();
      expect(violations).toEqual([]);
    },
  };
}

export type OpenedOutlook = Awaited<ReturnType<typeof openOutlook>>;
