import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { AccountAccess, CredentialCheck } from '#application/accounts';
import {
  CredentialCheckRepository,
  type DueCredentialCheck,
  type EndUserAccount,
  type ProviderType,
} from '#domain/accounts';
import { CalendarProviders } from '#domain/providers';
import { DomainError, type ErrorCode } from '#domain/system';
import { CONFIG, type Config } from '#platform';
import { Deadline } from '#platform/deadline';
import { inSpan, type SpanOptions } from '#platform/telemetry';
import { OutageTracker } from './outage-tracker.js';
import { PeriodicTask } from '../periodic-task.js';

const PAUSE_MS = 2_000;
const CLAIMED = 100;
const PARALLEL = 10;
/** Random part of the interval by which a check moves, so that checks do not gather. */
const SPREAD = 0.1;
const CHECK_TIMEOUT_MS = 25_000;
const FAILURES_OF_A_PROVIDER = 20;
/** Low, because each check of a dead server may last the full timeout while accounts of other servers wait. */
const FAILURES_OF_A_SERVER = 3;

const OUTAGE: ReadonlySet<ErrorCode> = new Set(['ProviderUnavailable', 'ProviderTimeout']);
/** Outcomes that need no log line: the account is gone or has expired. */
const SETTLED: ReadonlySet<ErrorCode> = new Set(['NotFound', 'EndUserAccountExpired']);

/** Several workers may run it: the database assigns each account to one of them. */
@Injectable()
export class CredentialCheckTask implements OnApplicationBootstrap {
  private readonly logger = new Logger(CredentialCheckTask.name);
  private readonly providerOutages = new OutageTracker(FAILURES_OF_A_PROVIDER, () => performance.now());
  /** For accounts with their own server, whose outage does not concern other servers. */
  private readonly serverOutages = new OutageTracker(FAILURES_OF_A_SERVER, () => performance.now());
  private readonly task = new PeriodicTask(
    'check_credentials',
    PAUSE_MS,
    (signal) => this.checkDue(signal),
    (error) => this.logger.warn({ msg: 'credential checks could not be claimed', err: error }),
  );

  /** Checks of accounts with a password use half of this interval. */
  private readonly intervalMs: number;

  constructor(
    private readonly health: CredentialCheckRepository,
    private readonly access: AccountAccess,
    private readonly credentials: CredentialCheck,
    private readonly providers: CalendarProviders,
    @Inject(CONFIG) { expiryProbeInterval }: Pick<Config, 'expiryProbeInterval'>,
  ) {
    this.intervalMs = expiryProbeInterval * 1_000;
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async stop(): Promise<void> {
    await this.task.stop();
  }

  /** Returns true when more accounts may be due. */
  private async checkDue(signal: AbortSignal): Promise<boolean> {
    const intervals = this.intervals();
    const due = await this.health.claimDue({ limit: CLAIMED, intervalMs: intervals, spread: SPREAD });
    const waiting = due.values();
    await Promise.all(
      Array.from({ length: PARALLEL }, async () => {
        for (const check of waiting) {
          if (signal.aborted) await this.release(check);
          else await inSpan('credentials.check', traceOf(check), () => this.check(check, intervals, signal));
        }
      }),
    );
    return due.length === CLAIMED;
  }

  private intervals(): Partial<Record<ProviderType, number>> {
    return Object.fromEntries(
      this.providers
        .all()
        .map(({ type, capabilities }) => [
          type,
          capabilities.authentication === 'password' ? this.intervalMs / 2 : this.intervalMs,
        ]),
    );
  }

  /** Never throws: a failed account must not stop the others. */
  private async check(
    { applicationId, accountId }: DueCredentialCheck,
    intervals: Partial<Record<ProviderType, number>>,
    stopping: AbortSignal,
  ): Promise<void> {
    let account: EndUserAccount | undefined;
    const late = () => new DomainError('ProviderTimeout', 'The provider did not answer in time.');
    const deadline = new Deadline({ ms: CHECK_TIMEOUT_MS, late, parents: [stopping] });
    try {
      account = await this.access.getActive({ applicationId }, accountId);
      const { outages, place } = this.placeOf(account);
      // Skips the check until the next interval, so that checks do not pile up when the provider returns.
      if (outages.isDown(place)) return;
      const intervalMs = intervals[account.providerType] ?? this.intervalMs;
      await this.credentials.check(account, intervalMs, deadline.signal);
      outages.recordRecovery(place);
    } catch (error) {
      if (stopping.aborted) return this.release({ applicationId, accountId });
      this.recordFailure(error, accountId, account);
    } finally {
      deadline.clear();
    }
  }

  private recordFailure(error: unknown, accountId: string, account: EndUserAccount | undefined): void {
    if (error instanceof DomainError && SETTLED.has(error.code)) return;
    const providerType = account?.providerType;
    this.logger.warn({ msg: 'credential check failed', accountId, providerType, err: error });
    // Errors without a provider response come from the service's own limits.
    const isOutage = error instanceof DomainError && OUTAGE.has(error.code) && error.provider !== undefined;
    if (account === undefined || !isOutage) return;
    const { outages, place } = this.placeOf(account);
    const pauseMs = outages.recordFailure(place);
    if (pauseMs === null) return;
    this.logger.error({ msg: 'provider unreachable: credential checks paused', providerType, place, pauseMs });
  }

  private placeOf({ providerType, serverUrl }: EndUserAccount): { outages: OutageTracker; place: string } {
    return serverUrl === null
      ? { outages: this.providerOutages, place: providerType }
      : { outages: this.serverOutages, place: new URL(serverUrl).origin };
  }

  private async release({ applicationId, accountId }: DueCredentialCheck): Promise<void> {
    try {
      await this.health.checkBy({ applicationId }, accountId, new Date());
    } catch (error) {
      this.logger.warn({ msg: 'credential check delayed by one interval', accountId, err: error });
    }
  }
}

function traceOf({ applicationId, accountId }: DueCredentialCheck): SpanOptions {
  return {
    traceparent: null,
    attributes: { 'calendar.application.id': applicationId, 'calendar.account.id': accountId },
  };
}
