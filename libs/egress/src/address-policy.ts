import { AllowList } from './allow-list.js';
import type { Trust } from './contract.js';
import { EgressError } from './errors.js';
import { parseIpAddress, type IpAddress } from './ip-address.js';
import { embeddedIpv4, isMetadataAddress, isNat64, isPublicAddress } from './special-addresses.js';
import { parseUrl, type UrlShape } from './url-shape.js';

/** A URL whose text is allowed. Its addresses are checked at every connection. */
export interface CheckedUrl extends UrlShape {
  /** Allowed by name, so its addresses may be private. */
  granted: boolean;
  /** The rule that the URL violates (scheme, port, name) unless the operator allows every address. */
  needsGrant: Rule | null;
}

type Rule = 'scheme' | 'port' | 'name';

/**
 * Databases, message brokers, mail and chat servers, cluster control planes: their protocols may act on the bytes of an
 * HTTP request or trust any internal client. Below 1024 only 443 is allowed.
 */
const DENIED_PORTS: ReadonlySet<number> = new Set([
  1433, 1434, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 2377, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 4369, 5060,
  5061, 5432, 5433, 5671, 5672, 5900, 5984, 6000, 6379, 6380, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  7000, 7001, 7199, 8086, 8500, 9042, 9092, 9160, 9200, 9300, 10080, 10250, 10255, 11211, 15672, 16379, 26379, 27017,
  27018, 27019, 33060, 50000, 61616,
]);

/** Names that are never public: RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`, and common practice. */
const PRIVATE_SUFFIXES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'home.arpa',
  'lan',
  'corp',
  'home',
  'private',
];

/** Decides which targets are allowed. Pure: the caller resolves and connects. */
export class AddressPolicy {
  readonly #allow: AllowList;

  constructor(options: { allow: string; trustedOrigins: readonly string[] }) {
    this.#allow = new AllowList(options.allow, options.trustedOrigins);
  }

  /**
   * @param trust enables the trusted origins
   * @throws EgressError bad-url, address-blocked
   */
  checkUrl(text: string, trust?: Trust): CheckedUrl {
    const shape = parseUrl(text);
    const grant = trust === 'configured' && this.#allow.trusts(shape) ? 'with-port' : this.#allow.grantsUrl(shape);
    const rules: (Rule | null)[] = [
      shape.secure || grant !== 'no' ? null : 'scheme',
      isPermittedPort(shape, grant !== 'no') || grant === 'with-port' ? null : 'port',
      shape.literal !== null || grant !== 'no' || !isPrivateName(shape.hostname) ? null : 'name',
    ];
    const needsGrant = rules.find((rule) => rule !== null) ?? null;
    const target: CheckedUrl = { ...shape, granted: grant !== 'no', needsGrant };
    // Blocked without a DNS query: no address could be allowed.
    if (needsGrant !== null && (target.granted || !this.#allow.hasBlocks)) throw blockedBy(needsGrant);
    if (shape.literal !== null) this.#check(target, shape.literal);
    return target;
  }

  /**
   * One blocked address blocks all: a mix of public and private addresses indicates DNS rebinding.
   * @throws EgressError dns when there are none, address-blocked, bad-url
   */
  assertAllowedAddresses(target: CheckedUrl, addresses: readonly string[]): void {
    if (addresses.length === 0) throw new EgressError('dns', { rule: 'no-address' });
    for (const text of addresses) {
      const address = parseIpAddress(text);
      if (address === null) throw new EgressError('address-blocked', { rule: 'unreadable-address' });
      this.#check(target, address);
    }
  }

  #check(target: CheckedUrl, address: IpAddress): void {
    if (isMetadataAddress(address)) throw new EgressError('address-blocked', { rule: 'metadata' });
    if (target.granted) return;
    const grant = this.#grantOf(address, target.port);
    if (target.needsGrant === null ? grant !== 'no' || isPublicAddress(address) : this.#satisfies(target, grant))
      return;
    throw target.needsGrant === null
      ? new EgressError('address-blocked', { rule: 'address' })
      : blockedBy(target.needsGrant);
  }

  /** An allowed NAT64 prefix stands for the public IPv4 Internet: the embedded address must itself be allowed. */
  #grantOf(address: IpAddress, port: number): 'no' | 'yes' | 'with-port' {
    const grant = this.#allow.grantsAddress(address, port);
    const inner = isNat64(address) ? embeddedIpv4(address) : null;
    if (grant === 'no' || inner === null || isPublicAddress(inner)) return grant;
    return this.#allow.grantsAddress(inner, port);
  }

  #satisfies(target: CheckedUrl, grant: 'no' | 'yes' | 'with-port'): boolean {
    return grant === 'with-port' || (grant === 'yes' && isPermittedPort(target, true));
  }
}

function isPermittedPort({ port }: UrlShape, isAllowed: boolean): boolean {
  return port === 443 || (port === 80 && isAllowed) || (port >= 1024 && !DENIED_PORTS.has(port));
}

/** The resolver completes single-label names from its search list; the suffixes are never public. */
function isPrivateName(hostname: string): boolean {
  return !hostname.includes('.') || PRIVATE_SUFFIXES.some((suffix) => hostname.endsWith(`.${suffix}`));
}

function blockedBy(rule: Rule): EgressError {
  return new EgressError(rule === 'name' ? 'address-blocked' : 'bad-url', { rule });
}

/** Judges the text only: the name may have other addresses elsewhere. */
export function isPublicUrl(url: string): boolean {
  const shape = shapeOf(url);
  if (shape === null || !shape.secure) return false;
  return shape.literal === null ? !isPrivateName(shape.hostname) : isPublicAddress(shape.literal);
}

function shapeOf(url: string): UrlShape | null {
  try {
    return parseUrl(url);
  } catch {
    return null;
  }
}
