import { lookup } from 'node:dns/promises';
import { unlessAborted } from '#platform/deadline';
import type { AddressPolicy, Target } from './address-policy.js';
import { EgressError } from './errors.js';

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
