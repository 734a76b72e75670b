import { MessageAttemptTriggerType, type MessageAttemptOut, type Svix } from 'svix';
import { DomainError } from '#domain/system';
import type { DeliveryAttempt } from '#domain/webhooks';
import { EgressError } from '#egress';
import { responseText } from './sender.js';
import { ExternalDelivery, type EndpointRef } from './external-delivery.js';
import {
  SvixConnection,
  SvixErrorBody,
  found,
  rotateSecrets,
  validated,
  type SvixConnectionOptions,
} from './svix-client.js';
import type { TransportEndpoint } from './transport.js';

const TIMEOUT_MS = 10_000;
/** Largest page of Svix, above the number of attempts of a message. */
const PAGE = 250;
/** Svix rejects recovering messages older than 14 days; a minute less, for clock skew. */
const RECOVERABLE_MS = 14 * 86_400_000 - 60_000;
const KEPT_BYTES = 1_024;

export class SvixDelivery extends ExternalDelivery {
  readonly #connection: SvixConnection;
  readonly #nowMs: () => number;

  constructor(options: SvixConnectionOptions) {
    super();
    this.#connection = new SvixConnection(options);
    this.#nowMs = options.nowMs;
  }

  override async remove({ applicationId, id }: EndpointRef): Promise<void> {
    await this.#call(applicationId, (svix) => svix.endpoint.delete(applicationId, id));
  }

  override async removeApplication(applicationId: string): Promise<void> {
    await this.#call(applicationId, (svix) => svix.application.delete(applicationId));
  }

  override async enable({ applicationId, id }: EndpointRef): Promise<void> {
    await this.#call(applicationId, (svix) => svix.endpoint.patch(applicationId, id, { disabled: false }));
  }

  override async setRateLimit({ applicationId, id }: EndpointRef, rateLimit: number | null): Promise<void> {
    await this.#call(applicationId, (svix) => svix.endpoint.patch(applicationId, id, { throttleRate: rateLimit }));
  }

  override async setSecrets(endpoint: EndpointRef & Pick<TransportEndpoint, 'secrets'>): Promise<void> {
    await this.#call(endpoint.applicationId, (svix) => rotateSecrets(svix, endpoint, this.#nowMs()));
  }

  override async recover({ applicationId, id }: EndpointRef, since: Date): Promise<void> {
    const from = new Date(Math.max(since.getTime(), this.#nowMs() - RECOVERABLE_MS));
    await this.#call(applicationId, (svix) => svix.endpoint.recover(applicationId, id, { since: from }));
  }

  override attempts(applicationId: string, messageId: string): Promise<DeliveryAttempt[] | null> {
    return this.#call(applicationId, async (svix) => {
      const page = { limit: PAGE, withContent: true };
      const { data } = await validated(svix.messageAttempt.listByMsg(applicationId, messageId, page), (list) =>
        list.data.every(isAttempt),
      );
      const destinations = await validated(
        svix.messageAttempt.listAttemptedDestinations(applicationId, messageId, { limit: 1 }),
        (list) => list.data.every(({ nextAttempt }) => nextAttempt == null || isInstant(nextAttempt)),
      );
      return numbered(data, destinations.data[0]?.nextAttempt ?? null);
    });
  }

  /** Returns null for a 404. */
  async #call<T>(applicationId: string, call: (svix: Svix) => Promise<T>): Promise<T | null> {
    try {
      return await found(call(this.#connection.open({ applicationId, timeoutMs: TIMEOUT_MS })));
    } catch (cause) {
      if (!(cause instanceof SvixErrorBody || cause instanceof EgressError)) throw cause;
      throw new DomainError('ProviderUnavailable', 'The service that delivers webhooks does not do it now.', { cause });
    }
  }
}

function isAttempt({ timestamp, responseDurationMs, responseStatusCode, response }: MessageAttemptOut): boolean {
  return (
    isInstant(timestamp) &&
    Number.isSafeInteger(responseDurationMs) &&
    Number.isSafeInteger(responseStatusCode) &&
    typeof response === 'string'
  );
}

function isInstant(date: Date): boolean {
  return !Number.isNaN(date.getTime());
}

/** Numbers attempts as ours: scheduled ones from 1 upwards, manual ones from -1 downwards. */
function numbered(attempts: readonly MessageAttemptOut[], nextAttemptAt: Date | null): DeliveryAttempt[] {
  let scheduled = 0;
  let byHand = 0;
  const inOrder = attempts.toSorted((a, b) => a.timestamp.getTime() - b.timestamp.getTime());
  return inOrder.map(({ timestamp, responseDurationMs, responseStatusCode, response, triggerType }, index) => ({
    number: triggerType === MessageAttemptTriggerType.Manual ? (byHand -= 1) : (scheduled += 1),
    startedAt: timestamp,
    durationMs: responseDurationMs,
    status: responseStatusCode === 0 ? null : responseStatusCode,
    failure: responseStatusCode === 0 ? 'no-answer' : null,
    responseText: responseText(Buffer.from(response), KEPT_BYTES),
    nextAttemptAt: index === inOrder.length - 1 ? nextAttemptAt : null,
  }));
}
