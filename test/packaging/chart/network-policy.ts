import { BlockList, isIP } from 'node:net';

interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  namespaceSelector?: object;
  podSelector?: object;
}

interface Rule {
  to?: Peer[];
  from?: Peer[];
  ports?: { protocol: string; port: number; endPort?: number }[];
}

/** Whether a policy lets its pods open a TCP connection to an address that is no pod's. */
export function letsOut(policy: { spec: { egress?: Rule[] } }, address: string, port: number): boolean {
  return (policy.spec.egress ?? []).some(
    ({ to, ports }) => isPortIn(ports, port) && (to === undefined || to.some((peer) => isAddressIn(peer, address))),
  );
}

function isPortIn(ports: Rule['ports'], port: number): boolean {
  if (ports === undefined) return true;
  return ports.some(
    ({ protocol, port: first, endPort = first }) => protocol === 'TCP' && first <= port && port <= endPort,
  );
}

function isAddressIn({ ipBlock }: Peer, address: string): boolean {
  if (ipBlock === undefined) return false;
  return isInside(ipBlock.cidr, address) && !(ipBlock.except ?? []).some((block) => isInside(block, address));
}

function isInside(cidr: string, address: string): boolean {
  const [network = '', bits = ''] = cidr.split('/');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(network) !== isIP(address)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}
