import { createHash, randomBytes } from 'node:crypto';

interface Challenge {
  scheme: string;
  parameters: Record<string, string>;
}

/** Parses `WWW-Authenticate`, with several challenges in one value (RFC 9110 §11.6.1). Skips invalid parts. */
export function parseChallenges(header: string): Challenge[] {
  const challenges: Challenge[] = [];
  const token = String.raw`[!#$%&'*+\-.^_\x60|~0-9A-Za-z]+`;
  const item = new RegExp(`(${token})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${token}))|(${token}=*)`, 'g');
  for (const [, name, quoted, plain, scheme] of header.slice(0, 8_192).matchAll(item)) {
    if (name === undefined) {
      challenges.push({ scheme: (scheme ?? '').toLowerCase(), parameters: {} });
      continue;
    }
    const challenge = challenges.at(-1);
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '';
    if (challenge !== undefined) Object.assign(challenge.parameters, { [name.toLowerCase()]: value });
  }
  return challenges;
}

interface DigestChallenge {
  realm: string;
  nonce: string;
  opaque: string | undefined;
  algorithm: 'MD5' | 'SHA-256';
  count: number;
}

/** Basic in UTF-8 (RFC 7617). Digest (RFC 7616, MD5 and SHA-256, qop=auth) when a server offers nothing else. */
export class Authenticator {
  #digest: DigestChallenge | null = null;

  constructor(
    private readonly username: string,
    private readonly password: string,
  ) {}

  /** @param target path and query as in the request line */
  authorization(method: string, target: string): string {
    const digest = this.#digest;
    if (digest === null) {
      return `Basic ${Buffer.from(`${this.username}:${this.password}`, 'utf8').toString('base64')}`;
    }
    const { realm, nonce, opaque, algorithm } = digest;
    digest.count += 1;
    const count = digest.count.toString(16).padStart(8, '0');
    const cnonce = randomBytes(16).toString('hex');
    const h = (text: string): string => createHash(algorithm.replace('-', '')).update(text, 'utf8').digest('hex');
    const user = h(`${this.username}:${realm}:${this.password}`);
    const response = h([user, nonce, count, cnonce, 'auth', h(`${method}:${target}`)].join(':'));
    return `Digest ${[
      usernameField(this.username),
      `realm="${quotable(realm)}"`,
      `nonce="${quotable(nonce)}"`,
      `uri="${quotable(target)}"`,
      `algorithm=${algorithm}`,
      `response="${response}"`,
      'qop=auth',
      `nc=${count}`,
      `cnonce="${cnonce}"`,
      ...(opaque === undefined ? [] : [`opaque="${quotable(opaque)}"`]),
    ].join(', ')}`;
  }

  /** Handles a 401. @param sent the rejected Authorization @param header WWW-Authenticate, if present */
  challenged(sent: string, header: string | undefined): 'repeat' | 'rejected' | 'unsupported' {
    const challenges = parseChallenges(header ?? '');
    if (challenges.length === 0) return 'rejected';
    const digest = strongestDigest(challenges);
    if (sent.startsWith('Digest ')) {
      // Another request may have received a new nonce meanwhile.
      const isStale =
        digest !== null && (digest.isStale || !sent.includes(`nonce="${quotable(digest.challenge.nonce)}"`));
      if (!isStale) return 'rejected';
      this.#digest = digest.challenge;
      return 'repeat';
    }
    if (challenges.some(({ scheme }) => scheme === 'basic')) return 'rejected';
    if (digest === null) return 'unsupported';
    this.#digest = digest.challenge;
    return 'repeat';
  }
}

function strongestDigest(challenges: Challenge[]): { challenge: DigestChallenge; isStale: boolean } | null {
  for (const algorithm of ['SHA-256', 'MD5'] as const) {
    for (const { scheme, parameters } of challenges) {
      const { nonce, realm = '', qop = '', opaque } = parameters;
      const offered = (parameters['algorithm'] ?? 'MD5').toUpperCase();
      const hasAuth = qop.split(',').some((value) => value.trim().toLowerCase() === 'auth');
      if (scheme !== 'digest' || nonce === undefined || offered !== algorithm || !hasAuth) continue;
      const isStale = parameters['stale']?.toLowerCase() === 'true';
      return { challenge: { realm, nonce, opaque, algorithm, count: 0 }, isStale };
    }
  }
  return null;
}

/** Header values are ASCII, so other names use the extended form (RFC 7616 §3.4). */
function usernameField(username: string): string {
  return /^[\x20-\x7e]*$/.test(username)
    ? `username="${quotable(username)}"`
    : `username*=UTF-8''${encodeURIComponent(username.toWellFormed()).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)}`;
}

function quotable(text: string): string {
  return text.replaceAll(/["\\]/g, '\\$&');
}
