import { expect } from '@jest/globals';
import type { OAuthFixture } from '../support/oauth-subject.js';
import { eventually } from '../support/processes.js';
import { ResourceSnapshot, type ObservedProcess } from './held-resources.js';

/** As many calls at a time as make an api open all the connections that it ever has. */
const AT_ONCE = 30;
/** How soon after a fault what is here and what a provider has are the same again. */
const CONVERGED_WITHIN_MS = 60_000;

/**
 * What has to be true of accounts, of what the provider holds and of the processes after every fault (I3 to I5). Needs a
 * world whose processes have their metrics on a port (`METRICS_PORT: '0'`).
 */
export class Invariants {
  /** Accounts whose end was wanted. */
  readonly ended = new Set<string>();
  private readonly resources: ResourceSnapshot;

  /** @param workers that have to live */
  constructor(
    private readonly fixture: OAuthFixture,
    private readonly workers: () => { pid: number }[] = () => [],
  ) {
    this.resources = new ResourceSnapshot(fixture.service.env);
  }

  /** Of a world whose api has done something already, and that has no workers. */
  static async watching(fixture: OAuthFixture): Promise<Invariants> {
    const invariants = new Invariants(fixture);
    await invariants.measure();
    return invariants;
  }

  /** Before anything breaks, while processes are at work. */
  async measure(): Promise<void> {
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.fixture.service.call('GET', '/v1/endUserAccounts')));
    await this.resources.measure(this.processes());
  }

  /** I3: nobody is EXPIRED whose grant the provider honours. */
  async expectNobodyEnded(): Promise<void> {
    const rows: { id: string; status: string }[] = await this.admin(
      "select id, status from end_user_account where status <> 'ACTIVE'",
    );
    expect(rows.filter(({ id }) => !this.ended.has(id))).toEqual([]);
  }

  /**
   * I4: an account has its credentials, and no credentials are left of another one; a calendar somebody subscribed to has
   * its live channel at the provider, and the provider has no other channel; no grant is left to revoke.
   */
  async expectCounterparts(timeoutMs = CONVERGED_WITHIN_MS): Promise<void> {
    let found: unknown;
    await eventually(
      'every row has its counterpart, and the reverse',
      async () => {
        found = await this.withoutCounterpart();
        return Object.values(found as object).every((left: unknown[]) => left.length === 0) ? true : undefined;
      },
      { timeoutMs, everyMs: 200 },
    ).catch((error: unknown) => {
      expect(found).toEqual({ accounts: [], calendars: [], revocations: [], channels: [], atProvider: [] });
      throw error;
    });
  }

  /** I5: memory, sockets, timers and connections to the database are as before. */
  async expectResourcesBack(timeoutMs?: number): Promise<void> {
    await this.resources.expectBack(this.processes(), timeoutMs);
  }

  async expectAll(): Promise<void> {
    await this.expectNobodyEnded();
    await this.expectCounterparts();
    await this.expectResourcesBack();
  }

  private processes(): ObservedProcess[] {
    const { pid } = this.fixture.service.program;
    return [{ kind: 'api', pid }, ...this.workers().map((worker) => ({ kind: 'worker' as const, pid: worker.pid }))];
  }

  private async withoutCounterpart() {
    const accounts = await this.admin(`
      select coalesce(a.id, c.end_user_account_id) as id
        from end_user_account a full join credential c on c.end_user_account_id = a.id where a.id is null or c.id is null`);
    const calendars = await this.admin(`
      select id from synced_calendar w
       where not exists (select 1 from webhook_endpoint e where e.synced_calendar_id = w.id)
          or not exists (select 1 from provider_channel c where c.synced_calendar_id = w.id and c.state = 'live')`);
    const revocations = await this.admin('select id from grant_revocation');
    const rows: { id: string; state: string; subscription_id: string; provider: string }[] = await this.admin(`
      select c.id, c.state, c.subscription_id, a.provider_type as provider
        from provider_channel c join synced_calendar w on w.id = c.synced_calendar_id
        join end_user_account a on a.id = w.end_user_account_id`);
    const known = rows.map(({ id, subscription_id, provider }) => (provider === 'GOOGLE' ? id : subscription_id));
    const held = [
      ...(await this.fixture.sandbox.channels()),
      ...(await this.fixture.sandbox.microsoft.subscriptions()),
    ].map(({ id }) => id);
    return {
      accounts,
      calendars,
      revocations,
      channels: rows.filter(({ state }, index) => state !== 'live' || !held.includes(known[index]!)),
      atProvider: held.filter((id) => !known.includes(id)),
    };
  }

  private admin(text: string): Promise<any[]> {
    return this.fixture.GOOGLE.admin(text);
  }
}
