import type { Svix } from 'svix';
import { EgressError, type Egress, type EgressFailure } from '#egress';
import {
  SvixConnection,
  SvixErrorBody,
  DisabledAtSvix,
  isThere,
  SvixEndpoints,
  validated,
  type SvixConnectionOptions,
} from './svix-client.js';
import { DEFAULT_ATTEMPT_TIMEOUT_MS } from './sender.js';
import { WebhookTransport, type AttemptResult, type WebhookDelivery } from './transport.js';

const HANDED_OVER = 202;

type Outcome = Pick<AttemptResult, 'status' | 'failure' | 'responseText' | 'retryAfterMs'>;

/** Svix delivers on its own schedule. An attempt succeeds when Svix has the message; handing over is idempotent. */
export class SvixTransport extends WebhookTransport {
  readonly #connection: SvixConnection;
  readonly #endpoints: SvixEndpoints;
  readonly #egress: Egress;
  readonly #nowMs: () => number;
  readonly #monotonicMs: () => number;

  constructor(options: SvixConnectionOptions) {
    super();
    this.#connection = new SvixConnection(options);
    this.#endpoints = new SvixEndpoints(options.nowMs);
    this.#egress = options.egress;
    this.#nowMs = options.nowMs;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
  }

  override async attempt(delivery: WebhookDelivery, signal?: AbortSignal): Promise<AttemptResult> {
    const startedAt = new Date(this.#nowMs());
    const startMs = this.#monotonicMs();
    const outcome = (await this.#decided(delivery.endpoint.url)) ?? (await this.#handOver(delivery, signal));
    return { startedAt, durationMs: Math.round(this.#monotonicMs() - startMs), ...outcome };
  }

  /** Svix must not get a URL that our egress would block. Returns null for an allowed URL. */
  async #decided(url: string): Promise<Outcome | null> {
    try {
      await this.#egress.check(url);
      return null;
    } catch (error) {
      if (error instanceof EgressError) return nothing(error.failure);
      throw error;
    }
  }

  async #handOver(delivery: WebhookDelivery, signal: AbortSignal | undefined): Promise<Outcome> {
    const { endpoint, identity } = delivery;
    const { applicationId } = endpoint;
    const svix = this.#connection.open({ applicationId, timeoutMs: DEFAULT_ATTEMPT_TIMEOUT_MS, signal });
    try {
      await this.#endpoints.ensure(svix, endpoint, identity);
      return { status: HANDED_OVER, failure: null, responseText: await this.#give(svix, delivery), retryAfterMs: null };
    } catch (error) {
      if (error instanceof DisabledAtSvix) {
        return { status: 410, failure: null, responseText: 'The endpoint is disabled at Svix', retryAfterMs: null };
      }
      if (error instanceof SvixErrorBody) {
        if (error.status === 404) this.#endpoints.clear(endpoint);
        return rejectionOf(error);
      }
      if (error instanceof EgressError) return nothing(ofServer(error.failure));
      throw error;
    }
  }

  async #give(svix: Svix, { message, endpoint, isByHand }: WebhookDelivery): Promise<string> {
    const { applicationId } = endpoint;
    if (isByHand && (await isThere(svix.messageAttempt.resend(applicationId, message.id, endpoint.id)))) {
      return 'Svix was asked to send it again';
    }
    try {
      const created = svix.message.create(applicationId, {
        eventId: message.id,
        eventType: message.eventType,
        channels: [endpoint.id],
        payload: JSON.parse(message.body.toString()) as unknown,
      });
      // A proxy before Svix may answer 200 by itself.
      const { id } = await validated(created, (given) => typeof given.id === 'string');
      return `Svix has it as ${id}`;
    } catch (error) {
      if (error instanceof SvixErrorBody && error.status === 409) return 'Svix has it already';
      throw error;
    }
  }
}

function rejectionOf({ status, detail, retryAfterMs }: SvixErrorBody): Outcome {
  // A 410 of the Svix API does not mean that the receiver is gone.
  return { status, failure: status === 410 ? 'invalid-response' : null, responseText: detail, retryAfterMs };
}

function nothing(failure: EgressFailure): Outcome {
  return { status: null, failure, responseText: '', retryAfterMs: null };
}

/** A blocked Svix server is a configuration error, not one of the receiver. */
function ofServer(failure: EgressFailure): EgressFailure {
  return failure === 'address-blocked' || failure === 'bad-url' ? 'connect' : failure;
}
