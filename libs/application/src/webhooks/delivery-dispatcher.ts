import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Span } from '@opentelemetry/api';
import { Clock } from '#domain/system';
import {
  WebhookEndpointRepository,
  WebhookMessageRepository,
  type AttemptClaim,
  type AttemptOutcome,
  type ClaimedAttempt,
  type EndedAttempt,
  type QueuedMessage,
  type RecordedAttempt,
} from '#domain/webhooks';
import {
  shouldDisable,
  messageIdOf,
  retryDelayMs,
  secretsFrom,
  classifyAttempt,
  type AttemptResult,
  type WebhookTransport,
} from '#webhooks';
import { Batcher } from '../system/batcher.js';
import { DeliveryLimiter, type AttemptKind, type Permit } from './delivery-limiter.js';
import { inDeliverySpan, measureAttempt, recordOutcome } from './delivery-telemetry.js';

/** Attempt lease. The queue repeats the attempts of a killed process within 15 s. */
const LEASE_MS = 10_000;
const EXTEND_EVERY_MS = 3_000;
/** Longest wait, with a permit, for the start of an attempt at an endpoint with a rate limit. */
const AHEAD_MS = 1_000;
/** Crashes in a row after which an attempt fails without being made, so that it stops crashing workers. */
const MAX_STALLS = 3;
/** Tries to write an outcome while the database is down. After that the attempt is repeated. */
const RECORD_TRIES = 60;
const RECORD_PAUSE_MS = 1_000;
/** More items than permits, so that a batch is never full. */
const BATCH_LIMIT = { everyMs: 0, maxItems: 100_000 };

export interface DeliveriesOptions {
  concurrency: number;
  /** 0 ≤ x < 1 */
  random: () => number;
}

/** Makes delivery attempts. The database assigns attempts to processes; claims and outcomes are batched. */
export class DeliveryDispatcher {
  private readonly logger = new Logger(DeliveryDispatcher.name);
  private readonly slots: DeliveryLimiter;
  private readonly claims = new Batcher<QueuedMessage, Map<QueuedMessage, AttemptClaim>>(
    (queued) => this.claimAll(queued),
    BATCH_LIMIT,
  );
  private readonly waits = new Batcher<{ messageId: string; inMs: number }, void>(
    (waits) => this.messages.defer(waits),
    BATCH_LIMIT,
  );
  private readonly outcomes = new Batcher<EndedAttempt, Map<EndedAttempt, RecordedAttempt | null>>(
    (ended) => this.recordAll(ended),
    BATCH_LIMIT,
  );
  /** Running attempts. `sinceMs`: start of the lease, monotonic milliseconds. */
  private readonly underWay = new Map<ClaimedAttempt, { sinceMs: number; ended: Promise<void> }>();
  private readonly beginning = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly late = new AbortController();
  private extending: Promise<void> = Promise.resolve();
  private readonly heartbeat: NodeJS.Timeout;

  constructor(
    private readonly messages: WebhookMessageRepository,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly transport: WebhookTransport,
    private readonly clock: Clock,
    private readonly options: DeliveriesOptions,
  ) {
    this.slots = new DeliveryLimiter(
      { concurrency: options.concurrency, perEndpoint: 6 },
      () => performance.now(),
      options.random,
    );
    this.heartbeat = setInterval(() => {
      this.extending = this.extend();
    }, EXTEND_EVERY_MS);
    this.heartbeat.unref();
  }

  /** Resolves when the attempt is running, deferred or unnecessary. After an error the message is enqueued again. */
  async dispatch(queued: QueuedMessage, attemptKind: AttemptKind): Promise<void> {
    const slot = await this.slots.take(queued.endpointId, attemptKind);
    if ('busyMs' in slot) return this.defer(queued, slot.busyMs);
    let claim: AttemptClaim | undefined;
    try {
      claim = (await this.claims.add([queued])).get(queued);
    } finally {
      if (claim?.state !== 'claimed') slot.cancel();
    }
    if (claim?.state === 'later') return this.defer(queued, claim.inMs);
    if (claim?.state !== 'claimed') return;
    const { attempt } = claim;
    const ended = inDeliverySpan(attempt, (span) => this.deliver(attempt, slot, span)).finally(() =>
      this.underWay.delete(attempt),
    );
    this.underWay.set(attempt, { sinceMs: performance.now(), ended });
  }

  /** Begins the first attempts that find a free permit, in the background. @returns the other messages */
  dispatchIfFree(messages: readonly QueuedMessage[]): QueuedMessage[] {
    return messages.filter((queued) => {
      if (!this.slots.isFree(queued.endpointId, 'first')) return true;
      const begun = this.dispatch(queued, 'first')
        .catch((error: unknown) => this.logger.warn({ msg: 'delivery deferred', messageId: queued.id, err: error }))
        .finally(() => this.beginning.delete(begun));
      this.beginning.add(begun);
      return false;
    });
  }

  close(): void {
    this.stopping.abort();
    this.slots.close();
  }

  /** Waits for running attempts, after {@link close}. At `late` it interrupts them for other processes. */
  async end(late: AbortSignal): Promise<void> {
    const breakOff = () => this.late.abort();
    if (late.aborted) breakOff();
    late.addEventListener('abort', breakOff, { once: true });
    await Promise.all(this.beginning);
    await Promise.all([...this.underWay.values()].map(({ ended }) => ended));
    late.removeEventListener('abort', breakOff);
    clearInterval(this.heartbeat);
    await this.extending;
  }

  private async defer({ id: messageId }: QueuedMessage, inMs: number): Promise<void> {
    await this.waits.add([{ messageId, inMs }]);
  }

  private async claimAll(queued: readonly QueuedMessage[]): Promise<Map<QueuedMessage, AttemptClaim>> {
    const claims = await this.messages.claim(
      queued.map(({ id }) => id),
      { leaseMs: LEASE_MS, aheadMs: AHEAD_MS },
    );
    return new Map(claims.map((claim, index) => [queued[index] as QueuedMessage, claim]));
  }

  private async recordAll(ended: readonly EndedAttempt[]): Promise<Map<EndedAttempt, RecordedAttempt | null>> {
    const recorded = await this.messages.record(ended);
    return new Map(recorded.map((one, index) => [ended[index] as EndedAttempt, one]));
  }

  private async deliver(attempt: ClaimedAttempt, slot: Permit, span: Span): Promise<void> {
    const outcome = await this.attempt(attempt);
    measureAttempt(outcome);
    recordOutcome(span, outcome);
    slot.release();
    try {
      const recorded = await this.record({ attempt, outcome });
      if (recorded !== null) await this.assertAllowed(attempt, outcome, recorded);
    } catch (error) {
      this.logger.warn({ msg: 'delivery result could not be stored', ...named(attempt), err: error });
    }
  }

  private async attempt(attempt: ClaimedAttempt): Promise<AttemptOutcome> {
    const { endpoint, webhookSubscriptionId, endUserAccountId, calendarId, eventType, body } = attempt;
    const startMs = performance.now();
    if (attempt.startsInMs > 0) {
      await sleep(attempt.startsInMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
    if (attempt.startsInMs > 0 && this.stopping.signal.aborted) return INTERRUPTED;
    try {
      if (attempt.stalledCount >= MAX_STALLS) throw new Error('Attempts at it end their process');
      if (endpoint.secrets === null) throw new Error('The secrets of the endpoint cannot be opened');
      const result = await this.transport.attempt(
        {
          message: { id: messageIdOf(attempt.messageId), eventType, body },
          endpoint: { ...endpoint, secrets: secretsFrom(endpoint.secrets) },
          identity: { webhookSubscriptionId, endUserAccountId, calendarId },
          isByHand: attempt.number < 0,
        },
        this.late.signal,
      );
      return { ...result, verdict: this.verdict(attempt, result) };
    } catch (error) {
      // An internal error. The schedule limits its repetitions.
      this.logger.error({ msg: 'webhook delivery failed on our side', ...named(attempt), err: error });
      const failed = { durationMs: performance.now() - startMs, status: null, failure: 'internal', responseText: '' };
      return { ...failed, verdict: this.afterFailure(attempt, null) };
    }
  }

  private verdict(attempt: ClaimedAttempt, result: AttemptResult): AttemptOutcome['verdict'] {
    const verdict = classifyAttempt(result);
    if (verdict.kind === 'retry') return this.afterFailure(attempt, verdict.retryAfterMs);
    return verdict.kind === 'rejected' ? { kind: 'failed', reason: verdict.reason } : verdict;
  }

  private afterFailure({ failures }: ClaimedAttempt, retryAfterMs: number | null): AttemptOutcome['verdict'] {
    const inMs = retryDelayMs(failures + 1, { retryAfterMs, random: this.options.random });
    return inMs === null ? { kind: 'failed', reason: 'exhausted' } : { kind: 'retry', inMs };
  }

  private async record(ended: EndedAttempt): Promise<RecordedAttempt | null> {
    for (let tries = 1; ; tries += 1) {
      try {
        return (await this.outcomes.add([ended])).get(ended) ?? null;
      } catch (error) {
        if (tries === RECORD_TRIES || this.late.signal.aborted) throw error;
        await sleep(RECORD_PAUSE_MS, undefined, { signal: this.late.signal }).catch(() => undefined);
      }
    }
  }

  private async assertAllowed(
    { endpoint }: ClaimedAttempt,
    { verdict }: AttemptOutcome,
    { failingSince, hasDisabled }: RecordedAttempt,
  ): Promise<void> {
    const { id: endpointId, applicationId } = endpoint;
    if (hasDisabled) {
      this.logger.error({ msg: 'webhook endpoint disabled', reason: 'gone', endpointId, applicationId });
    }
    if (verdict.kind !== 'retry' && verdict.kind !== 'failed') return;
    if (!shouldDisable(failingSince, this.clock.nowMs())) return;
    if (!(await this.endpoints.disable({ applicationId }, endpointId, 'failing'))) return;
    const since = failingSince?.toISOString();
    this.logger.error({ msg: 'webhook endpoint disabled', reason: 'failing', since, endpointId, applicationId });
  }

  private async extend(): Promise<void> {
    const nowMs = performance.now();
    const old = [...this.underWay].filter(([, { sinceMs }]) => nowMs - sinceMs >= EXTEND_EVERY_MS / 2);
    if (old.length === 0) return;
    try {
      await this.messages.extend(
        old.map(([attempt]) => attempt),
        LEASE_MS,
      );
    } catch (error) {
      this.logger.warn({ msg: 'delivery leases could not be extended', deliveries: old.length, err: error });
    }
  }
}

const INTERRUPTED: AttemptOutcome = {
  durationMs: 0,
  status: null,
  failure: 'aborted',
  responseText: '',
  verdict: { kind: 'interrupted' },
};

function named({ messageId, number, endpoint }: ClaimedAttempt) {
  return { messageId, attempt: number, endpointId: endpoint.id, applicationId: endpoint.applicationId };
}
