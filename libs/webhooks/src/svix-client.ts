import { createHash } from 'node:crypto';
import { Svix, type EndpointOut } from 'svix';
import { LRUCache } from 'lru-cache';
import { EgressError, parseRetryAfter, type Egress } from '#egress';
import { responseText, identityHeaders, type DeliveryIdentity } from './sender.js';
import { MAX_RETRY_AFTER_MS } from './delivery-policy.js';
import { secretsInForce, type EndpointSecrets } from './endpoint-secrets.js';
import type { TransportEndpoint } from './transport.js';

/** Limit of a response in bytes; a page of attempts with response texts stays below. */
const MAX_RESPONSE_BYTES = 10 * 1_024 * 1_024;
const KEPT_BYTES = 1_024;

export class SvixErrorBody extends Error {
  override readonly name = 'SvixErrorBody';

  constructor(
    readonly status: number,
    /** Start of the response body, safe to store. */
    readonly detail: string,
    readonly retryAfterMs: number | null,
  ) {
    super(`Svix answered ${status}`);
  }
}

export interface SvixConnectionOptions {
  egress: Egress;
  /** Root of the server, without `/api/v1`. */
  serverUrl: string;
  token: string;
  nowMs: () => number;
  monotonicMs?: () => number;
}

/** `timeoutMs` limits all calls together. */
export interface SvixCalls {
  applicationId: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export class SvixConnection {
  constructor(private readonly options: SvixConnectionOptions) {}

  /** The methods of the client throw SvixErrorBody for an error response and EgressError without a response. */
  open({ applicationId, timeoutMs, signal }: SvixCalls): Svix {
    const { egress, serverUrl, token, nowMs, monotonicMs = () => performance.now() } = this.options;
    const endsAtMs = monotonicMs() + timeoutMs;
    return new Svix(token, {
      serverUrl,
      retryScheduleInMs: [],
      fetch: async (input, init) => {
        const leftMs = endsAtMs - monotonicMs();
        if (leftMs < 1) throw new EgressError('timeout');
        const response = await egress.request({
          method: init?.method ?? 'GET',
          url: input instanceof Request ? input.url : String(input),
          trust: 'configured',
          headers: { ...Object.fromEntries(new Headers(init?.headers)), 'user-agent': 'unified-calendar-webhooks' },
          ...(typeof init?.body === 'string' && { body: init.body }),
          timeoutMs: leftMs,
          maxBytes: MAX_RESPONSE_BYTES,
          poolKey: `svix:${applicationId}`,
          signal,
        });
        if (response.status < 200 || response.status > 299) {
          const retryAfterMs = parseRetryAfter(response.headers['retry-after'], nowMs(), MAX_RETRY_AFTER_MS);
          const detail = responseText(response.body, KEPT_BYTES).replaceAll(token, '[token]');
          throw new SvixErrorBody(response.status, detail, retryAfterMs);
        }
        return new Response(jsonObject(response.body), { status: response.body.length === 0 ? 204 : response.status });
      },
    });
  }
}

function jsonObject(body: Buffer): string | null {
  if (body.length === 0) return null;
  const text = body.toString();
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return text;
  } catch (cause) {
    throw new EgressError('invalid-response', { cause });
  }
  throw new EgressError('invalid-response');
}

/** The client does not validate responses. @throws EgressError invalid-response; SvixErrorBody, EgressError of the call */
export async function validated<T>(call: Promise<T>, isValid: (value: T) => boolean): Promise<T> {
  try {
    const value = await call;
    if (isValid(value)) return value;
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new EgressError('invalid-response', { cause });
  }
  throw new EgressError('invalid-response');
}

/** Marks our objects on a shared Svix server. */
export const OURS = { managedBy: 'unified-calendar' };

/** How long the state of an endpoint at Svix is cached: others may change it there. */
const KNOWN_MS = 10 * 60_000;
const MAX_KNOWN = 10_000;

/** Svix disabled an endpoint that is enabled here. */
export class DisabledAtSvix extends Error {
  override readonly name = 'DisabledAtSvix';
}

/** Each endpoint has its own id and channel at Svix: a message to that channel reaches only this endpoint. */
export class SvixEndpoints {
  readonly #applications = new LRUCache<string, true>({ max: MAX_KNOWN, ttl: KNOWN_MS });
  readonly #known = new LRUCache<string, string>({ max: MAX_KNOWN, ttl: KNOWN_MS });

  constructor(private readonly nowMs: () => number) {}

  /** @throws DisabledAtSvix, SvixErrorBody, EgressError */
  async ensure(svix: Svix, endpoint: TransportEndpoint, identity: DeliveryIdentity): Promise<void> {
    const headers = endpointHeaders(identity);
    const digest = digestOf(endpoint, headers);
    if (this.#known.get(endpoint.id) === digest) return;
    const { applicationId, id } = endpoint;
    await this.#ensureApplication(svix, applicationId);
    const current = await found(svix.endpoint.get(applicationId, id));
    if (current === null) await create(svix, endpoint, this.nowMs());
    else if (current.disabled === true) throw new DisabledAtSvix();
    else await this.#update(svix, endpoint, current);
    await svix.endpoint.setHeaders(applicationId, id, { headers });
    await rotateSecrets(svix, endpoint, this.nowMs());
    this.#known.set(id, digest);
  }

  clear({ id, applicationId }: TransportEndpoint): void {
    this.#known.delete(id);
    this.#applications.delete(applicationId);
  }

  async #ensureApplication(svix: Svix, applicationId: string): Promise<void> {
    if (this.#applications.has(applicationId)) return;
    await svix.application.getOrCreate({ uid: applicationId, name: applicationId, metadata: OURS });
    this.#applications.set(applicationId, true);
  }

  async #update(svix: Svix, endpoint: TransportEndpoint, current: EndpointOut): Promise<void> {
    const { id, applicationId, url, rateLimit } = endpoint;
    const channels = [id];
    const isSame =
      current.url === url &&
      (current.throttleRate ?? null) === rateLimit &&
      JSON.stringify(current.channels) === JSON.stringify(channels);
    if (!isSame) await svix.endpoint.patch(applicationId, id, { url, throttleRate: rateLimit, channels });
  }
}

/** Replaced secrets keep signing at Svix until their end, too. @throws SvixErrorBody, EgressError */
export async function rotateSecrets(
  svix: Svix,
  { id, applicationId, secrets }: Pick<TransportEndpoint, 'id' | 'applicationId' | 'secrets'>,
  nowMs: number,
): Promise<void> {
  const { key } = await validated(
    svix.endpoint.getSecret(applicationId, id),
    (secret) => typeof secret.key === 'string',
  );
  const steps = inOrder(secrets, nowMs);
  const at = steps.findIndex(({ text }) => text === key);
  // A secret that only Svix has stops signing at once.
  let gracePeriodSeconds = steps[at]?.restSeconds ?? 0;
  for (const { text, restSeconds } of steps.slice(at === -1 ? -1 : at + 1)) {
    await svix.endpoint.rotateSecret(applicationId, id, { key: text, gracePeriodSeconds });
    gracePeriodSeconds = restSeconds;
  }
}

/** Returns null for a 404. */
export async function found<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof SvixErrorBody && error.status === 404) return null;
    throw error;
  }
}

/** Returns false for a 404. */
export async function isThere(call: Promise<unknown>): Promise<boolean> {
  return (await found(call.then(() => true))) !== null;
}

async function create(svix: Svix, endpoint: TransportEndpoint, nowMs: number): Promise<void> {
  const { id, applicationId, url, rateLimit, secrets } = endpoint;
  const secret = inOrder(secrets, nowMs)[0]?.text;
  try {
    await svix.endpoint.create(applicationId, {
      uid: id,
      url,
      throttleRate: rateLimit,
      channels: [id],
      secret,
      metadata: OURS,
    });
  } catch (error) {
    // Another process created it meanwhile.
    if (!(error instanceof SvixErrorBody && error.status === 409)) throw error;
  }
}

/** The secrets in force, oldest first, with their remaining time after replacement. */
function inOrder(secrets: EndpointSecrets, nowMs: number): { text: string; restSeconds: number }[] {
  const ends = new Map(secrets.retiring.map(({ secret, endsAt }) => [secret, endsAt.getTime()]));
  return secretsInForce(secrets, nowMs)
    .map((secret) => ({
      text: secret.reveal(),
      restSeconds: Math.ceil(((ends.get(secret) ?? nowMs) - nowMs) / 1_000),
    }))
    .reverse();
}

/** An endpoint at Svix sends the same headers with every message, so application endpoints get no identity. */
function endpointHeaders(identity: DeliveryIdentity): Record<string, string> {
  return identity.webhookSubscriptionId === null ? {} : identityHeaders(identity);
}

function digestOf({ url, rateLimit, secrets }: TransportEndpoint, headers: Record<string, string>): string {
  const keys = [secrets.active, ...secrets.retiring.map(({ secret }) => secret)].map((secret) => secret.reveal());
  return createHash('sha256')
    .update(JSON.stringify([url, rateLimit, keys, headers]))
    .digest('base64');
}
