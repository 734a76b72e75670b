import { createHash } from 'node:crypto';
import type { FakeSwitches, RecordedRequest } from './switches.js';

export interface Login {
  username: string;
  password: string;
}

const REALM = 'fake';
/** Every challenge brings a new nonce, all of them stay good: what most Digest servers do. */
const NONCE = 'dcd98b7102dd2f0e8b11d0f600bfb0c093-';
let issued = 0;

/** The challenge to answer with, or null when the request may pass. */
export function challenge(kind: FakeSwitches['authentication'], login: Login, request: RecordedRequest): string | null {
  const given = request.headers.authorization ?? '';
  switch (kind) {
    case 'none':
      return null;
    case 'basic': {
      const expected = `Basic ${Buffer.from(`${login.username}:${login.password}`, 'utf8').toString('base64')}`;
      // iCloud offers its own scheme first (home-assistant/core#91711).
      return given === expected ? null : 'X-MobileMe-AuthToken realm="fake", Basic realm="fake", charset="UTF-8"';
    }
    case 'digest-md5':
    case 'digest-sha256': {
      const algorithm = kind === 'digest-md5' ? 'MD5' : 'SHA-256';
      return isDigestRight(given, algorithm, login, request.method)
        ? null
        : `Digest realm="${REALM}", qop="auth,auth-int", algorithm=${algorithm}, nonce="${NONCE}${(issued += 1)}", opaque="5ccc"`;
    }
    case 'bearer':
      return 'Bearer realm="fake"';
    case 'negotiate':
      return 'Negotiate, NTLM';
  }
}

/** RFC 7616 §3.4, qop=auth. */
function isDigestRight(header: string, algorithm: string, login: Login, method: string): boolean {
  if (!header.startsWith('Digest ')) return false;
  const fields = Object.fromEntries(
    [...header.slice(7).matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g)].map(([, name, quoted, plain]) => [
      name,
      (quoted ?? plain ?? '').replaceAll(/\\(.)/g, '$1'),
    ]),
  );
  const hash = (text: string): string =>
    createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
      .update(text, 'utf8')
      .digest('hex');
  const a1 = hash(`${login.username}:${REALM}:${login.password}`);
  const a2 = hash(`${method}:${fields.uri}`);
  const expected = hash(`${a1}:${fields.nonce}:${fields.nc}:${fields.cnonce}:auth:${a2}`);
  return (
    fields.username === login.username &&
    fields.nonce?.startsWith(NONCE) === true &&
    fields.qop === 'auth' &&
    fields.response === expected
  );
}
