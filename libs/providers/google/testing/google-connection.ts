import type { AccountSession } from '#domain';
import { CalendarCache, CallPolicy } from '#providers/kit/calls';
import { isPrimary } from '../calendar-entry.js';
import { AccountConnection, type ConnectionDeps } from '../connection.js';
import { googleEndpoints } from '../endpoints.js';
import { REFUSALS } from '../errors.js';
import { UnlimitedBudget } from '#domain/testing/memory-stores';
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

export interface Bench {
  connection: AccountConnection;
  egress: ScriptedEgress;
  budget: UnlimitedBudget;
  clock: RunningClock;
  deps: ConnectionDeps;
}

/** A connection over a scripted egress, with a clock of its own. */
export function connectionOver(egress: ScriptedEgress, session: AccountSession = sessionOf()): Bench {
  const clock = new RunningClock();
  const budget = new UnlimitedBudget();
  const deps: ConnectionDeps = {
    egress,
    budget,
    endpoints: googleEndpoints({ apiUrl: ROOT, oauthUrl: ROOT, tokenUrl: ROOT }),
    policy: new CallPolicy({ rules: REFUSALS, timeoutMs: 10_000, ...clock.policy }),
    calendars: new CalendarCache({ isPrimary, monotonicMs: () => clock.nowMs }),
    requestsPerMinute: 600,
    nowMs: () => Date.UTC(2026, 10, 21),
  };
  return { connection: new AccountConnection(deps, session), egress, budget, clock, deps };
}
