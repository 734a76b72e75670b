import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { EndpointOut, Svix } from 'svix';
import { identityHeaders, type DeliveryIdentity } from './delivery-headers.js';
import { secretsInForce, type EndpointSecrets } from './endpoint-secrets.js';
import { SvixErrorBody } from './svix-client.js';
import type { TransportEndpoint } from './transport.js';

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
  const { key } = await svix.endpoint.getSecret(applicationId, id);
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
