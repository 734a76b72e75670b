import { Inject, Injectable, Logger } from '@nestjs/common';
import { AccountAccess, CredentialCheck } from '#application';
import {
  AccountHealthRepository,
  CalendarProviders,
  DomainError,
  type CheckIntervals,
  type DueCheck,
  type EndUserAccount,
  type ErrorCode,
} from '#domain';
import { CONFIG, type Config } from '#platform';
import { Deadline } from '#platform/deadline';
import { inSpan } from '#platform/telemetry';
import { Outages } from './outages.js';

/** Random part of the interval by which a check moves, so that checks do not gather. */
const SPREAD = 0.1;
const CHECK_TIMEOUT_MS = 25_000;
const FAILURES_OF_A_PROVIDER = 20;
/** Low, because each check of a dead server may last the full timeout while accounts of other servers wait. */
const FAILURES_OF_A_SERVER = 3;

const OUTAGE: ReadonlySet<ErrorCode> = new Set(['ProviderUnavailable', 'ProviderTimeout']);
/** Outcomes that need no log line: the account is gone or has expired. */
const SETTLED: ReadonlySet<ErrorCode> = new Set(['NotFound', 'EndUserAccountExpired']);

/** Checks of single accounts, and what their outcomes say of providers. */
@Injectable()
export class AccountChecks {
  private readonly logger = new Logger(AccountChecks.name);
  private readonly providerOutages = new Outages(FAILURES_OF_A_PROVIDER, () => performance.now());
  /** For accounts with their own server, whose outage does not concern other servers. */
  private readonly serverOutages = new Outages(FAILURES_OF_A_SERVER, () => performance.now());
  private readonly intervalMs: number;
  /** Accounts with a password are checked twice as often. */
  private readonly intervals: CheckIntervals;

  constructor(
    private readonly health: AccountHealthRepository,
    private readonly access: AccountAccess,
    private readonly credentials: CredentialCheck,
    providers: CalendarProviders,
    @Inject(CONFIG) { expiryProbeInterval }: Pick<Config, 'expiryProbeInterval'>,
  ) {
    this.intervalMs = expiryProbeInterval * 1_000;
    this.intervals = Object.fromEntries(
      providers
        .all()
        .map(({ type, capabilities }) => [
          type,
          capabilities.authentication === 'password' ? this.intervalMs / 2 : this.intervalMs,
        ]),
    );
  }

  due(limit: number): Promise<DueCheck[]> {
    return this.health.due(limit, this.intervals);
  }

  /** No-op unless due. Never throws for an account that fails. @param stopping makes the check due at once again */
  async check(due: DueCheck, stopping: AbortSignal): Promise<void> {
    if (!(await this.health.claim(due, this.intervals, SPREAD))) return;
    const attributes = { 'calendar.application.id': due.applicationId, 'calendar.account.id': due.accountId };
    await inSpan('account.check', { traceparent: null, attributes }, () => this.tryCredentials(due, stopping));
  }

  private async tryCredentials({ applicationId, accountId }: DueCheck, stopping: AbortSignal): Promise<void> {
    let account: EndUserAccount | undefined;
    const late = () => new DomainError('ProviderTimeout', 'The provider did not answer in time.');
    const deadline = new Deadline({ ms: CHECK_TIMEOUT_MS, late, parents: [stopping] });
    try {
      account = await this.access.getActive({ applicationId }, accountId);
      const { outages, place } = this.placeOf(account);
      // Skips the check until the next interval, so that checks do not pile up when the provider returns.
      if (outages.isAway(place)) return;
      await this.credentials.check(account, this.intervals[account.providerType] ?? this.intervalMs, deadline.signal);
      outages.noteAnswer(place);
    } catch (error) {
      if (stopping.aborted) return this.giveBack({ applicationId, accountId });
      this.judge(error, accountId, account);
    } finally {
      deadline.clear();
    }
  }

  private judge(error: unknown, accountId: string, account: EndUserAccount | undefined): void {
    if (error instanceof DomainError && SETTLED.has(error.code)) return;
    const providerType = account?.providerType;
    this.logger.warn({ msg: 'an account could not be checked', accountId, providerType, err: error });
    // Errors without a provider response come from the service's own limits.
    const isOutage = error instanceof DomainError && OUTAGE.has(error.code) && error.provider !== undefined;
    if (account === undefined || !isOutage) return;
    const { outages, place } = this.placeOf(account);
    const pauseMs = outages.noteFailure(place);
    if (pauseMs === null) return;
    this.logger.error({ msg: 'a provider does not answer: left alone', providerType, place, pauseMs });
  }

  private placeOf({ providerType, serverUrl }: EndUserAccount): { outages: Outages; place: string } {
    return serverUrl === null
      ? { outages: this.providerOutages, place: providerType }
      : { outages: this.serverOutages, place: new URL(serverUrl).origin };
  }

  private async giveBack({ applicationId, accountId }: DueCheck): Promise<void> {
    try {
      await this.health.checkBy({ applicationId }, accountId, new Date());
    } catch (error) {
      this.logger.warn({ msg: 'an account is checked an interval late', accountId, err: error });
    }
  }
}
