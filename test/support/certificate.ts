import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface TestCertificate {
  key: string;
  cert: string;
}

/**
 * A self-signed certificate for tests, valid for a day, P-256 with ECDSA and SHA-256 (RFC 5280, RFC 5758). It is its
 * own authority, so trusting it makes it valid.
 * @param names DNS names and IPv4 addresses for subjectAltName
 */
export function selfSigned(names: readonly string[], nowMs = Date.now()): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const commonName = sequence(set(sequence(oid('550403'), der(0x0c, Buffer.from('unified-calendar test')))));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(15)])), // serial number, positive
    algorithm,
    commonName,
    sequence(time(nowMs - 3_600_000), time(nowMs + 86_400_000)),
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(extension('551d13', sequence(der(0x01, Buffer.from([0xff])))), extension('551d11', altNames(names))),
    ),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = certificate.toString('base64').replace(/(.{64})/g, '$1\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function altNames(names: readonly string[]): Buffer {
  return sequence(
    ...names.map((name) =>
      /^[\d.]+$/.test(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name)),
    ),
  );
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value));
}

/** UTCTime (RFC 5280 §4.1.2.5.1), good until 2049. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function set(...parts: Buffer[]): Buffer {
  return der(0x31, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

/** Tag, length, value (X.690 §8.1). */
function der(tag: number, value: Buffer): Buffer {
  const { length } = value;
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), value]);
}
