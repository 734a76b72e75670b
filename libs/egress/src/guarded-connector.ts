import { once } from 'node:events';
import { connect as tcpConnect, type LookupFunction, type Socket } from 'node:net';
import { connect as tlsConnect, type TLSSocket } from 'node:tls';
import { lookup } from 'node:dns/promises';
import { isDeepStrictEqual } from 'node:util';
import type { buildConnector } from 'undici';
import { unlessAborted } from '#platform/deadline';
import type { AddressPolicy, CheckedUrl } from './address-policy.js';
import { egressDeadline } from './errors.js';
import { EgressError } from './errors.js';
import { parseIpAddress } from './ip-address.js';
import type { EgressLimits } from './limits.js';

export interface ConnectorContext {
  policy: AddressPolicy;
  resolver: Resolver;
  limits: Pick<EgressLimits, 'connectMs' | 'tlsMs'>;
  signal: AbortSignal;
}

/** Dials only checked addresses and verifies the one reached. Ignores undici's host, server name and socket path. */
export function guardedConnector(target: CheckedUrl, context: ConnectorContext): buildConnector.connector {
  return (_options, callback) => {
    open(target, context).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

async function open(target: CheckedUrl, context: ConnectorContext): Promise<Socket | TLSSocket> {
  const connecting = egressDeadline(context.limits.connectMs, context.signal);
  let socket: Socket;
  try {
    const addresses = await resolveAllowed(target, { ...context, signal: connecting.signal });
    socket = await dial(target, addresses, connecting.signal);
  } finally {
    connecting.clear();
  }
  if (!target.secure) return socket;
  const securing = egressDeadline(context.limits.tlsMs, context.signal);
  try {
    return await secure(socket, target, securing.signal);
  } finally {
    securing.clear();
  }
}

/** RFC 8305. */
async function dial(target: CheckedUrl, addresses: readonly string[], signal: AbortSignal): Promise<Socket> {
  const socket = tcpConnect({
    host: target.hostname,
    port: target.port,
    lookup: pinned(addresses),
    autoSelectFamily: true,
    noDelay: true,
    keepAlive: true,
  });
  await established(socket, { event: 'connect', failure: 'connect', signal });
  // Before the first byte is sent, verifies that the reached address was checked.
  if (!isOneOf(socket.remoteAddress, addresses)) {
    socket.destroy();
    throw new EgressError('address-blocked', { rule: 'remote-address' });
  }
  return socket;
}

/** Trusts the authorities of the process (NODE_EXTRA_CA_CERTS included), never those of a caller. */
async function secure(socket: Socket, target: CheckedUrl, signal: AbortSignal): Promise<TLSSocket> {
  const secured = tlsConnect({
    socket,
    host: target.hostname,
    // An address is not a valid server name (RFC 6066 §3); the certificate is then verified against `host`.
    servername: target.literal === null ? target.hostname : '',
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    // Explicit: NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment must have no effect.
    rejectUnauthorized: true,
  });
  await established(secured, { event: 'secureConnect', failure: 'tls', signal });
  return secured;
}

async function established(
  socket: Socket,
  { event, failure, signal }: { event: 'connect' | 'secureConnect'; failure: 'connect' | 'tls'; signal: AbortSignal },
): Promise<void> {
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  try {
    await once(socket, event, { signal: AbortSignal.any([signal, closed.signal]) });
  } catch (cause) {
    // Ignores further errors of the abandoned socket.
    socket.on('error', () => undefined).destroy();
    signal.throwIfAborted();
    throw new EgressError(failure, { cause });
  }
}

/** A `lookup` that returns only the checked addresses. Literals never reach it: they are checked with the URL. */
function pinned(addresses: readonly string[]): LookupFunction {
  const resolved = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_hostname, options, callback) => {
    const [first] = resolved;
    if (first === undefined || options.all === true) callback(null, resolved);
    else callback(null, first.address, first.family);
  };
}

function isOneOf(remote: string | undefined, addresses: readonly string[]): boolean {
  const reached = parseIpAddress(remote ?? '');
  return reached !== null && addresses.some((text) => isDeepStrictEqual(parseIpAddress(text), reached));
}

/** Rejects when the name has no address. */
export interface Resolver {
  lookup(hostname: string): Promise<readonly string[]>;
}

/** Includes hosts file and search list, as other programs on the machine do. */
export const systemResolver: Resolver = {
  async lookup(hostname) {
    const resolved = await lookup(hostname, { all: true, order: 'verbatim' });
    return resolved.map(({ address }) => address);
  },
};

/**
 * Resolves for each connection, so that a changed DNS response (rebinding) is checked like the first.
 * @throws EgressError dns, timeout, aborted, address-blocked, bad-url
 */
export async function resolveAllowed(
  target: CheckedUrl,
  { policy, resolver, signal }: { policy: AddressPolicy; resolver: Resolver; signal: AbortSignal },
): Promise<readonly string[]> {
  if (target.literal !== null) return [target.hostname];
  // getaddrinfo cannot be cancelled, but the wait for it can.
  const addresses = await unlessAborted(resolve(resolver, target.hostname), signal);
  policy.assertAllowedAddresses(target, addresses);
  return addresses;
}

async function resolve(resolver: Resolver, hostname: string): Promise<readonly string[]> {
  try {
    // Copied, so that the dialled addresses are those checked.
    return [...(await resolver.lookup(hostname))];
  } catch (cause) {
    throw new EgressError('dns', { cause });
  }
}
