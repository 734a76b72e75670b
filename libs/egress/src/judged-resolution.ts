import { unlessAborted } from '#platform/deadline';
import type { AddressPolicy, Target } from './address-policy.js';
import { EgressError } from './errors.js';
import type { Resolver } from './resolver.js';

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
