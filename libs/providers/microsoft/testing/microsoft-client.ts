import type { AccountSession } from '#domain/providers';
import { type AccountLimits, Admission, CalendarCache, CallPolicy } from '#providers/kit/calls';
import { isPrimary } from '../calendar-entry.js';
import { GraphAccountClient, REQUESTS_AT_ONCE, type GraphClientDeps } from '../account-client.js';
import { REFUSALS } from '../errors.js';
import { GraphLinks } from '../graph-links.js';
import { GraphTransport } from '../graph-transport.js';
import { WholeReads } from '../events/whole-reads.js';
import { MailboxZones } from '../mailbox-zones.js';
import { KeptReads } from '#providers/kit/sync';
import { CountedPermits, MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { oauthSession } from '#domain/testing/oauth-session';
import { RunningClock, type Scripted, type ScriptedEgress } from '#providers/kit/testing/scripted-egress';

export const ROOT = 'https://graph.example/v1.0';
export const SECRET = 'EwB-canary-of-the-access-token';
export const NOW_MS = Date.UTC(2026, 10, 21);

/** Graph's error body. */
export function refusal(status: number, code: string, message = code, headers: Record<string, string> = {}): Scripted {
  return { status, headers, json: { error: { code, message, innerError: { 'request-id': 'r', date: 'd' } } } };
}

export function sessionOf(overrides: Partial<AccountSession> = {}): AccountSession {
  const tokens = { clientId: 'client', accessToken: SECRET, refreshToken: 'canary' };
  return oauthSession('ida.berg@fabrikam.example', tokens, { accountId: 'account', ...overrides });
}

export interface MicrosoftFixture {
  connection: GraphAccountClient;
  egress: ScriptedEgress;
  budget: UnlimitedRate;
  slots: CountedPermits;
  clock: RunningClock;
  deps: GraphClientDeps & { limits: AccountLimits };
}

/** As the binder opens one. */
export function openConnection(deps: MicrosoftFixture['deps'], session: AccountSession): GraphAccountClient {
  return new GraphAccountClient(deps, session, new Admission(deps.limits, session));
}

/** A connection over a scripted egress, with a clock of its own. */
export function clientOver(egress: ScriptedEgress, session: AccountSession = sessionOf()): MicrosoftFixture {
  const clock = new RunningClock();
  const budget = new UnlimitedRate();
  const slots = new CountedPermits();
  const nowMs = () => NOW_MS;
  const deps: MicrosoftFixture['deps'] = {
    root: ROOT,
    transport: new GraphTransport({ egress, root: ROOT, nowMs }),
    links: new GraphLinks(ROOT),
    policy: new CallPolicy({ rules: REFUSALS, timeoutMs: 10_000, ...clock.policy }),
    limits: { budget, requestsPerMinute: 1_000, slots: { pool: slots, size: REQUESTS_AT_ONCE } },
    calendars: new CalendarCache({ isPrimary, monotonicMs: () => clock.nowMs }),
    wholeReads: new WholeReads(),
    zones: new MailboxZones(nowMs, () => clock.nowMs),
    snapshots: new MemorySnapshots(),
    reads: new KeptReads(),
    nowMs,
  };
  return { connection: openConnection(deps, session), egress, budget, slots, clock, deps };
}
