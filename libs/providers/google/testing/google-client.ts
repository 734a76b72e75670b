import type { AccountSession } from '#domain/providers';
import { type AccountLimits, Admission, CalendarCache, CallPolicy } from '#providers/kit/calls';
import { isPrimary } from '../calendar-entry.js';
import { GoogleAccountClient, type GoogleClientDeps } from '../account-client.js';
import { googleEndpoints } from '../authorization-server.js';
import { REFUSALS } from '../errors.js';
import { EventPalettes } from '../events/event-colors.js';
import { KeptReads } from '#providers/kit/sync';
import { MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { oauthSession } from '#domain/testing/oauth-session';
import { RunningClock, type Scripted, type ScriptedEgress } from '#providers/kit/testing/scripted-egress';

export const ROOT = 'https://google.example';

/** Google's error body with one reason. */
export function refusal(
  status: number,
  reason: string,
  message = reason,
  headers: Record<string, string> = {},
): Scripted {
  return {
    status,
    headers,
    json: { error: { code: status, message, errors: [{ domain: 'global', reason, message }] } },
  };
}

export const SECRET = 'ya29.canary-of-the-access-token';

export function sessionOf(overrides: Partial<AccountSession> = {}): AccountSession {
  const tokens = { clientId: 'client', accessToken: SECRET, refreshToken: '1//canary' };
  return oauthSession('mara.field@example.com', tokens, { accountId: 'account', ...overrides });
}

export interface GoogleFixture {
  connection: GoogleAccountClient;
  egress: ScriptedEgress;
  budget: UnlimitedRate;
  clock: RunningClock;
  deps: GoogleClientDeps & { limits: AccountLimits };
}

/** As the binder opens one. */
export function openConnection(deps: GoogleFixture['deps'], session: AccountSession): GoogleAccountClient {
  return new GoogleAccountClient(deps, session, new Admission(deps.limits, session));
}

/** A connection over a scripted egress, with a clock of its own. */
export function clientOver(egress: ScriptedEgress, session: AccountSession = sessionOf()): GoogleFixture {
  const clock = new RunningClock();
  const budget = new UnlimitedRate();
  const deps: GoogleFixture['deps'] = {
    egress,
    limits: { budget, requestsPerMinute: 600 },
    endpoints: googleEndpoints({ apiUrl: ROOT, oauthUrl: ROOT, tokenUrl: ROOT }),
    policy: new CallPolicy({ rules: REFUSALS, timeoutMs: 10_000, ...clock.policy }),
    calendars: new CalendarCache({ isPrimary, monotonicMs: () => clock.nowMs }),
    palettes: new EventPalettes(() => clock.nowMs),
    snapshots: new MemorySnapshots(),
    reads: new KeptReads(),
    nowMs: () => Date.UTC(2026, 10, 21),
  };
  return { connection: openConnection(deps, session), egress, budget, clock, deps };
}
