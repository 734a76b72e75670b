import type { Egress } from '#egress';
import { NoExternalDelivery, type ExternalDelivery } from './external-delivery.js';
import { WebhookSender } from './sender.js';
import type { SvixConnectionOptions } from './svix-client.js';
import { SvixDelivery } from './svix-delivery.js';
import { SvixTransport } from './svix-transport.js';
import type { WebhookTransport } from './transport.js';

/** `svix` requires both `svix…` settings. */
export interface TransportSettings {
  webhookTransport: 'builtin' | 'svix';
  svixServerUrl: string | undefined;
  svixToken: string | undefined;
}

export interface TransportDeps {
  egress: Egress;
  nowMs: () => number;
}

export function webhookTransport(settings: TransportSettings, deps: TransportDeps): WebhookTransport {
  const svix = svixOptions(settings, deps);
  return svix === null ? new WebhookSender(deps.egress, deps) : new SvixTransport(svix);
}

export function deliveryService(settings: TransportSettings, deps: TransportDeps): ExternalDelivery {
  const svix = svixOptions(settings, deps);
  return svix === null ? new NoExternalDelivery() : new SvixDelivery(svix);
}

function svixOptions(settings: TransportSettings, deps: TransportDeps): SvixConnectionOptions | null {
  const { webhookTransport, svixServerUrl: serverUrl, svixToken: token } = settings;
  if (webhookTransport === 'builtin') return null;
  if (serverUrl === undefined || token === undefined) throw new TypeError('Svix needs the URL of a server and a token');
  return { ...deps, serverUrl, token };
}
