import { connect as tcpConnect, type LookupFunction, type Socket } from 'node:net';
import { connect as tlsConnect, type TLSSocket } from 'node:tls';
import { lookup } from 'node:dns/promises';
import type { buildConnector } from 'undici';
import { unlessAborted } from '#platform/deadline';
import type { AddressPolicy, Target } from './address-policy.js';
import { egressDeadline } from './deadline.js';
import { EgressError } from './errors.js';
import { isSameAddress, parseIpAddress } from './ip-address.js';
import type { EgressLimits } from './limits.js';

export interface ConnectorContext {
  policy: AddressPolicy;
  resolver: Resolver;
  limits: Pick<EgressLimits, 'connectMs' | 'tlsMs'>;
  /** Ends all connection attempts (shutdown). */
  signal: AbortSignal;
}

/**
 * Opens the connections of one target for undici: resolves, judges every address, dials only those, compares what was
 * reached, then speaks TLS to the name. undici's own idea of host, server name and socket path is not listened to.
 */
export function guardedConnector(target: Target, context: ConnectorContext): buildConnector.connector {
  return (_options, callback) => {
    open(target, context).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

async function open(target: Target, context: ConnectorContext): Promise<Socket | TLSSocket> {
  const connecting = egressDeadline(context.limits.connectMs, context.signal);
  let socket: Socket;
  try {
    const addresses = await judgedAddresses(target, { ...context, signal: connecting.signal });
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

/** TCP to one of the judged addresses, whichever answers first (RFC 8305). */
async function dial(target: Target, addresses: readonly string[], signal: AbortSignal): Promise<Socket> {
  const socket = tcpConnect({
    host: target.hostname,
    port: target.port,
    lookup: pinned(addresses),
    autoSelectFamily: true,
    noDelay: true,
    keepAlive: true,
  });
  await established(socket, { event: 'connect', failure: 'connect', signal });
  // Before the first byte is sent: what was reached is what was judged.
  if (!isOneOf(socket.remoteAddress, addresses)) {
    socket.destroy();
    throw new EgressError('address-blocked', { rule: 'remote-address' });
  }
  return socket;
}

/** TLS to the name of the URL. Authorities are those of the process (NODE_EXTRA_CA_CERTS included), never a caller's. */
async function secure(socket: Socket, target: Target, signal: AbortSignal): Promise<TLSSocket> {
  const secured = tlsConnect({
    socket,
    host: target.hostname,
    // An address is no server name (RFC 6066 §3); the certificate is then checked against `host`.
    servername: target.literal === null ? target.hostname : '',
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    // Explicit: NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment must not switch it off.
    rejectUnauthorized: true,
  });
  await established(secured, { event: 'secureConnect', failure: 'tls', signal });
  return secured;
}

/** Waits for a socket to be usable; destroys it when it is not. */
function established(
  socket: Socket,
  { event, failure, signal }: { event: 'connect' | 'secureConnect'; failure: 'connect' | 'tls'; signal: AbortSignal },
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const done = (error?: EgressError) => {
      signal.removeEventListener('abort', onAbort);
      socket.off(event, onReady).off('error', onError).off('close', onClose);
      if (error === undefined) return resolve();
      // A second error of a socket that is given up has nobody left to tell.
      socket.on('error', () => undefined).destroy();
      reject(error);
    };
    const onReady = () => done();
    const onError = (cause: Error) => done(new EgressError(failure, { cause }));
    const onClose = () => done(new EgressError(failure));
    const onAbort = () => done(signal.reason as EgressError);
    socket.once(event, onReady).once('error', onError).once('close', onClose);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

/** A `lookup` that knows only what was judged. Address literals never reach it: they were judged with the URL. */
function pinned(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_hostname, options, callback) => {
    const [first] = answers;
    if (first === undefined || options.all === true) callback(null, answers);
    else callback(null, first.address, first.family);
  };
}

function isOneOf(remote: string | undefined, addresses: readonly string[]): boolean {
  const reached = parseIpAddress(remote ?? '');
  return (
    reached !== null &&
    addresses.some((text) => {
      const address = parseIpAddress(text);
      return address !== null && isSameAddress(address, reached);
    })
  );
}

/** Name to addresses, injectable. Answers all addresses a name has now; rejects when it has none. */
export interface Resolver {
  lookup(hostname: string): Promise<readonly string[]>;
}

/**
 * The resolver of the operating system: what the hosts file and the search list say counts, because that is what any
 * other program on the machine would dial.
 */
export const systemResolver: Resolver = {
  async lookup(hostname) {
    const answers = await lookup(hostname, { all: true, order: 'verbatim' });
    return answers.map(({ address }) => address);
  },
};

/**
 * The addresses to dial for a target, every one judged. Asked anew for each connection, so that an answer that changes
 * between two of them (DNS rebinding) is judged like the first.
 * @throws EgressError dns, timeout, aborted, address-blocked, bad-url
 */
export async function judgedAddresses(
  target: Target,
  { policy, resolver, signal }: { policy: AddressPolicy; resolver: Resolver; signal: AbortSignal },
): Promise<readonly string[]> {
  if (target.literal !== null) return [target.hostname];
  // getaddrinfo cannot be cancelled, the wait for it can.
  const addresses = await unlessAborted(resolve(resolver, target.hostname), signal);
  policy.judgeAddresses(target, addresses);
  return addresses;
}

async function resolve(resolver: Resolver, hostname: string): Promise<readonly string[]> {
  try {
    // A copy: what is judged now is what is dialled later.
    return [...(await resolver.lookup(hostname))];
  } catch (cause) {
    throw new EgressError('dns', { cause });
  }
}
