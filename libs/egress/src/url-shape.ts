import { EgressError } from './errors.js';
import { parseIpAddress, type IpAddress } from './ip-address.js';

export interface UrlShape {
  secure: boolean;
  /** Lower-case, IDNA-mapped, without a trailing dot; an IPv6 address without brackets. */
  hostname: string;
  port: number;
  /** null unless the host is an IP address. */
  literal: IpAddress | null;
  origin: string;
  path: string;
}

const SCHEMES: Record<string, { secure: boolean; port: number }> = {
  'https:': { secure: true, port: 443 },
  'http:': { secure: false, port: 80 },
};

/**
 * The WHATWG parser maps `0x7f.1`, `2130706433`, `127.1`, `0177.0.0.1`, full-width digits and ideographic full stops to
 * 127.0.0.1, rejects zone ids and drops tabs and line breaks. Userinfo, fragments and a trailing dot are handled here.
 * @throws EgressError bad-url
 */
export function parseUrl(text: string): UrlShape {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]|^\s|\s$/.test(text)) throw new EgressError('bad-url', { rule: 'control-character' });
  // The authority as written: only the WHATWG parser accepts `https://@host` and `https:\\host`.
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined || authority.includes('\\')) throw new EgressError('bad-url', { rule: 'syntax' });
  if (authority.includes('@')) throw new EgressError('bad-url', { rule: 'userinfo' });
  if (text.includes('#')) throw new EgressError('bad-url', { rule: 'fragment' });
  const url = URL.parse(text);
  if (url === null) throw new EgressError('bad-url', { rule: 'syntax' });
  const scheme = SCHEMES[url.protocol];
  if (scheme === undefined) throw new EgressError('bad-url', { rule: 'scheme' });

  const port = url.port === '' ? scheme.port : Number(url.port);
  const { hostname, literal } = parseHost(url.hostname);
  const host = literal?.version === 6 ? `[${hostname}]` : hostname;
  return {
    secure: scheme.secure,
    hostname,
    port,
    literal,
    origin: `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`,
    path: url.pathname + url.search,
  };
}

function parseHost(host: string): { hostname: string; literal: IpAddress | null } {
  if (host.startsWith('[')) {
    const hostname = host.slice(1, -1);
    const literal = parseIpAddress(hostname);
    if (literal === null) throw new EgressError('bad-url', { rule: 'host' });
    return { hostname, literal };
  }
  const hostname = host.endsWith('.') ? host.slice(0, -1) : host;
  if (!isHostName(hostname)) throw new EgressError('bad-url', { rule: 'host' });
  return { hostname, literal: parseIpAddress(hostname) };
}

/** RFC 1123 §2.1 plus the underscore, which real servers use; includes IPv4 literals. */
function isHostName(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label));
}
