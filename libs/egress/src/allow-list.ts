import { isInBlock, parseIpAddress, parseIpBlock, single, type IpAddress, type IpBlock } from './ip-address.js';
import { parseUrl, type UrlShape } from './url-shape.js';

export const ALLOW_ENTRY = 'host, host:port, address, [v6]:port, CIDR';

/** `port` null: any port that the port rules permit. */
interface HostGrant {
  hostname: string;
  port: number | null;
}
interface BlockGrant {
  block: IpBlock;
  port: number | null;
}

/** Whether a target is allowed: not at all, on ports that the port rules permit, or on exactly this port. */
export type Granted = 'no' | 'yes' | 'with-port';

export class AllowList {
  readonly #hosts: HostGrant[] = [];
  readonly #blocks: BlockGrant[] = [];
  readonly #origins: ReadonlySet<string>;

  /**
   * @param allow comma list of `host`, `host:port`, address, `[v6]:port`, CIDR
   * @throws TypeError for an invalid entry: a typing error must not silently allow less or more
   */
  constructor(allow: string, trustedOrigins: readonly string[]) {
    for (const entry of allow.split(',').map((text) => text.trim())) {
      if (entry !== '') this.#add(entry.toLowerCase());
    }
    this.#origins = new Set(trustedOrigins.map((url) => parseUrl(url).origin));
  }

  get hasBlocks(): boolean {
    return this.#blocks.length > 0;
  }

  trusts({ origin }: UrlShape): boolean {
    return this.#origins.has(origin);
  }

  grantsUrl({ hostname, port }: UrlShape): Granted {
    const grants = this.#hosts.filter((grant) => grant.hostname === hostname);
    if (grants.some((grant) => grant.port === port)) return 'with-port';
    return grants.some((grant) => grant.port === null) ? 'yes' : 'no';
  }

  grantsAddress(address: IpAddress, port: number): Granted {
    const grants = this.#blocks.filter(({ block }) => isInBlock(address, block));
    if (grants.some((grant) => grant.port === port)) return 'with-port';
    return grants.some((grant) => grant.port === null) ? 'yes' : 'no';
  }

  #add(entry: string): void {
    const block = parseIpBlock(entry) ?? single(parseIpAddress(entry));
    if (block !== null) {
      this.#blocks.push({ block, port: null });
      return;
    }
    const shape = parseHostEntry(entry);
    const port = /(^|[^:]):\d+$/.test(entry.replace(/^\[.*\]/, 'v6')) ? shape.port : null;
    const address = single(shape.literal);
    if (address === null) this.#hosts.push({ hostname: shape.hostname, port });
    else this.#blocks.push({ block: address, port });
  }
}

/** Parses `host`, `host:port`, `[v6]:port` as a URL, so that both normalize names the same way. */
function parseHostEntry(entry: string): UrlShape {
  try {
    const shape = parseUrl(`https://${entry}`);
    if (shape.port !== 0 && !entry.includes('/') && !entry.includes('?')) return shape;
  } catch (cause) {
    throw notAnEntry(entry, cause);
  }
  throw notAnEntry(entry);
}

function notAnEntry(entry: string, cause?: unknown): TypeError {
  return new TypeError(`EGRESS_ALLOW: "${entry}" is none of ${ALLOW_ENTRY}`, { cause });
}
