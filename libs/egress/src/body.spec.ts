import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { decodedBody } from './body.js';

const CAPS = { maxBytes: 10 * 1024 * 1024, ratio: 100, ratioFloorBytes: 1024 * 1024 };
const KIB = 1024;

async function read(body: Buffer, coding: string, caps = CAPS, pieceBytes = 7 * KIB): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += pieceBytes) pieces.push(body.subarray(at, at + pieceBytes));
  const decoded: Buffer[] = [];
  for await (const piece of decodedBody(Readable.from(pieces, { objectMode: false }), coding, caps))
    decoded.push(piece);
  return Buffer.concat(decoded);
}

describe('decodedBody', () => {
  const small = Buffer.from('{"summary":"lunch"}'.repeat(500));
  const large = randomBytes(300 * KIB);
  /** Small only as long as it is compressed. */
  const dense = Buffer.concat([randomBytes(30 * KIB), Buffer.alloc(1_500 * KIB, 'calendar ')]);

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ] as const)('gives %s bodies of any size as they were', async (coding, compress) => {
    for (const body of [small, large, dense]) expect((await read(compress(body), coding)).equals(body)).toBe(true);
  });

  it('cuts a small body at the same size as a large one', async () => {
    const caps = { ...CAPS, maxBytes: small.length };
    expect(await read(gzipSync(small), 'gzip', caps)).toHaveLength(small.length);
    for (const body of [Buffer.concat([small, Buffer.from('x')]), large]) {
      await expect(read(gzipSync(body), 'gzip', caps)).rejects.toMatchObject({ failure: 'too-large' });
    }
  });

  it('cuts a small body at its ratio', async () => {
    const bomb = gzipSync(Buffer.alloc(3 * 1024 * KIB));
    await expect(read(bomb, 'gzip')).rejects.toMatchObject({ failure: 'too-large' });
  });

  it('says of a small body, too, that it is cut short or something else', async () => {
    const whole = gzipSync(small);
    for (const body of [whole.subarray(0, -12), Buffer.from('<html>not gzip</html>')]) {
      await expect(read(body, 'gzip')).rejects.toMatchObject({ failure: 'invalid-response' });
    }
  });
});
