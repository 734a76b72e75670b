import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Module,
  type DynamicModule,
} from '@nestjs/common';
import { OAuthClientsModule } from '#application/oauth';
import { ACCOUNT_STATUSES, type ProviderType } from '#domain/accounts';
import { SharedOAuthClients } from '#domain/oauth';
import { CalendarProviders } from '#domain/providers';
import { Clock, InstallationStats, QueueMonitor, type InstallationCounts, type QueueDepth } from '#domain/system';
import { beforeScrape, gauge } from '#platform/telemetry';
import { QueueMonitorModule } from '#jobs';
import type { Config } from '#platform';
import { MetricsSampler } from './metrics-sampler.js';

const accounts = gauge('calendar_accounts');
const trippedBreakers = gauge('calendar_mass_expiry_breakers_tripped');
const secretExpiry = gauge('calendar_oauth_client_secret_expires_in_seconds');
const checkOverdue = gauge('calendar_credential_check_overdue_seconds');
const channels = gauge('calendar_channels');
const syncsDue = gauge('calendar_syncs_due');
const oldestSync = gauge('calendar_oldest_due_sync_age_seconds');
const budgetUsed = gauge('calendar_background_budget_used_ratio');
const longestRead = gauge('calendar_look_longest_seconds');
const nearReads = gauge('calendar_looks_near_ratio');
const messages = gauge('calendar_messages');
const oldestDue = gauge('calendar_oldest_due_message_age_seconds');
const disabledEndpoints = gauge('calendar_endpoints_disabled');
const oldestAccountEvent = gauge('calendar_outbox_oldest_age_seconds');
const jobs = gauge('calendar_queue_jobs');
const oldestJob = gauge('calendar_queue_oldest_job_age_seconds');
const failed = gauge('calendar_collector_failed');

const OF_THE_DATABASE = [
  ...[
    accounts,
    trippedBreakers,
    secretExpiry,
    checkOverdue,
    channels,
    syncsDue,
    oldestSync,
    budgetUsed,
    longestRead,
    nearReads,
  ],
  ...[messages, oldestDue, disabledEndpoints, oldestAccountEvent],
];
const OF_THE_QUEUES = [jobs, oldestJob];

type QueueLabel = Parameters<typeof oldestJob.set>[1]['queue'];

@Injectable()
export class SampledMetrics implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(SampledMetrics.name);
  private readonly parts: MetricsSampler[];
  private wasKnown = true;
  private end: () => void = () => undefined;

  constructor(
    private readonly stats: InstallationStats,
    private readonly board: QueueMonitor,
    private readonly providers: CalendarProviders,
    private readonly sharedClients: SharedOAuthClients,
    private readonly clock: Clock,
  ) {
    const part = (count: () => Promise<void>, gauges: readonly { clear(): void }[]) =>
      new MetricsSampler({
        count,
        clear: () => gauges.forEach((one) => one.clear()),
        failed: (error) => this.logFailure(error),
        nowMs: () => performance.now(),
      });
    this.parts = [part(() => this.countDatabase(), OF_THE_DATABASE), part(() => this.countQueues(), OF_THE_QUEUES)];
  }

  onApplicationBootstrap(): void {
    this.end = beforeScrape(() => this.refresh());
  }

  onApplicationShutdown(): void {
    this.end();
  }

  private async refresh(): Promise<void> {
    await Promise.all(this.parts.map((part) => part.refresh()));
    const isKnown = this.parts.every((part) => part.isKnown);
    if (isKnown) this.wasKnown = true;
    failed.set(isKnown ? 0 : 1);
  }

  private async countDatabase(): Promise<void> {
    const all = this.providers.all();
    const pushing = all.filter(({ push }) => push !== null).map(({ type }) => type);
    const counts = await this.stats.count(pushing);
    // A date that was taken away leaves no series.
    secretExpiry.clear();
    for (const { type: provider } of all) {
      showAccounts(counts, provider);
      const held = counts.trippedBreakers.find(({ providerType }) => providerType === provider);
      trippedBreakers.set(held?.clients ?? 0, { provider });
      const left = this.secondsToExpiry(counts, provider);
      if (left !== null) secretExpiry.set(left, { provider });
    }
    for (const provider of pushing) {
      const found = counts.channels.find(({ providerType }) => providerType === provider);
      for (const state of ['wanted', 'actual'] as const) channels.set(found?.[state] ?? 0, { provider, state });
      const reads = counts.reads.find(({ providerType }) => providerType === provider);
      budgetUsed.set(reads?.usedRatio ?? 0, { provider });
      longestRead.set(reads?.longestSeconds ?? 0, { provider });
      nearReads.set(reads?.nearRatio ?? 1, { provider });
    }
    for (const state of ['due', 'scheduled'] as const) messages.set(counts.messages[state], { state });
    syncsDue.set(counts.syncs.due);
    oldestSync.set(counts.syncs.oldestDueSeconds);
    checkOverdue.set(counts.checkOverdueSeconds);
    oldestDue.set(counts.oldestDueSeconds);
    disabledEndpoints.set(counts.disabledEndpoints);
    oldestAccountEvent.set(counts.oldestAccountEventSeconds);
  }

  /** Of the applications' clients and the installation's. null while none has a date. */
  private secondsToExpiry({ secrets }: InstallationCounts, provider: ProviderType): number | null {
    const own = secrets.find(({ providerType }) => providerType === provider)?.expiresInSeconds ?? Infinity;
    const sharedMs = this.sharedClients.for(provider)?.expiresAt?.getTime() ?? Infinity;
    const seconds = Math.min(own, (sharedMs - this.clock.nowMs()) / 1_000);
    return Number.isFinite(seconds) ? seconds : null;
  }

  private async countQueues(): Promise<void> {
    const [depths, waits] = await Promise.all([this.board.depths(), this.board.waits()]);
    for (const depth of depths) showJobs(depth);
    for (const { queue, seconds } of waits) oldestJob.set(seconds, { queue: labelOf(queue) });
  }

  /** Logs once per outage. */
  private logFailure(error: unknown): void {
    if (this.wasKnown) this.logger.warn({ msg: 'metric collection failed', err: error });
    this.wasKnown = false;
  }
}

function showAccounts(
  counts: InstallationCounts,
  provider: InstallationCounts['accounts'][number]['providerType'],
): void {
  for (const status of ACCOUNT_STATUSES) {
    const found = counts.accounts.find((one) => one.providerType === provider && one.status === status);
    accounts.set(found?.count ?? 0, { provider, status });
  }
}

function showJobs({ name, ...counts }: QueueDepth): void {
  for (const state of ['waiting', 'active', 'delayed', 'failed'] as const) {
    jobs.set(counts[state], { queue: labelOf(name), state });
  }
}

/** Label values are in snake_case, unlike names of queues. */
function labelOf(queue: string): QueueLabel {
  return queue.replaceAll('-', '_') as QueueLabel;
}

@Module({})
export class SampledMetricsModule {
  static forRoot({ databaseUrl, redisUrl }: Pick<Config, 'databaseUrl' | 'redisUrl'>): DynamicModule {
    return {
      module: SampledMetricsModule,
      imports: [OAuthClientsModule, QueueMonitorModule.forRoot({ databaseUrl, redisUrl: redisUrl ?? null })],
      providers: [SampledMetrics],
    };
  }
}
