import { pipeline, type Readable, type Transform } from 'node:stream';
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';
import { EgressError, toEgressError } from './errors.js';
import type { EgressLimits } from './limits.js';

export interface BodyCaps extends Pick<EgressLimits, 'ratio' | 'ratioFloorBytes'> {
  maxBytes: number;
}

interface Wire {
  bytes: number;
}

/** Single codings only: stacked ones multiply the ratio of a decompression bomb. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

type Coding = (firstByte: number) => { stream: typeof createGunzip; whole: typeof gunzipSync };

const CHUNK_BYTES = 64 * 1024;
const SMALL_BYTES = 64 * 1024;

const gzip: Coding = () => ({ stream: createGunzip, whole: gunzipSync });
const zlibFormat = { stream: createInflate, whole: inflateSync };
const bareDeflate = { stream: createInflateRaw, whole: inflateRawSync };

const CODINGS: ReadonlyMap<string, Coding | null> = new Map([
  ['', null],
  ['identity', null],
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['br', () => ({ stream: createBrotliDecompress, whole: brotliDecompressSync })],
  // RFC 9110 §8.4.1.2: zlib format; some servers send raw deflate. CM = 8 marks the former (RFC 1950 §2.2).
  ['deflate', (firstByte) => ((firstByte & 0x0f) === 8 ? zlibFormat : bareDeflate)],
]);

/** @throws EgressError invalid-response for a coding that was not requested */
export function isCoded(contentEncoding: string | undefined): boolean {
  return codingOf(contentEncoding) !== null;
}

/**
 * Decompresses at most one chunk ahead of the reader, except for a small body. Ignores the coding of an empty body.
 * @throws EgressError too-large, invalid-response, reset, timeout, aborted
 */
export async function* decodedBody(
  source: Readable,
  contentEncoding: string | undefined,
  caps: BodyCaps,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    const coding = codingOf(contentEncoding);
    const wire: Wire = { bytes: 0 };
    let received = 0;
    for await (const chunk of coding === null ? source : decompressed(source, coding, caps, wire)) {
      const piece = chunk as Buffer;
      received += piece.length;
      if (received > caps.maxBytes) throw new EgressError('too-large', { rule: 'size' });
      if (coding !== null && received > caps.ratioFloorBytes && received > wire.bytes * caps.ratio) {
        throw new EgressError('too-large', { rule: 'ratio' });
      }
      yield piece;
    }
  } catch (error) {
    throw toEgressError(error);
  } finally {
    source.destroy();
  }
}

async function* decompressed(
  source: Readable,
  codingOfBody: Coding,
  caps: BodyCaps,
  wire: Wire,
): AsyncGenerator<Buffer, void, undefined> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  const { head, isAll } = await beginning(chunks);
  if (head.length === 0) return;
  const coding = codingOfBody(head[0] ?? 0);
  const whole = isAll ? atOnce(head, coding, caps) : null;
  if (whole !== null) {
    yield whole;
    return;
  }
  const decoder: Transform = coding.stream({ chunkSize: CHUNK_BYTES });
  // An error of either side destroys the decoder, whose reader then gets it.
  pipeline(counted(head, chunks, wire), decoder, () => undefined);
  yield* decoder as AsyncIterable<Buffer>;
}

async function beginning(chunks: AsyncIterator<Buffer, undefined>): Promise<{ head: Buffer; isAll: boolean }> {
  const pieces: Buffer[] = [];
  for (let bytes = 0; bytes <= SMALL_BYTES;) {
    const { value: piece } = await chunks.next();
    if (piece === undefined) return { head: joined(pieces), isAll: true };
    pieces.push(piece);
    bytes += piece.length;
  }
  return { head: joined(pieces), isAll: false };
}

/**
 * A stream costs a thread switch per chunk, ten times the work for a few kilobytes. Returns null for a body that is too
 * large or malformed, whose error streaming reports.
 */
function atOnce(body: Buffer, { whole }: ReturnType<Coding>, caps: BodyCaps): Buffer | null {
  try {
    return whole(body, { maxOutputLength: Math.min(caps.maxBytes, caps.ratioFloorBytes) });
  } catch {
    return null;
  }
}

function joined(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
}

async function* counted(head: Buffer, rest: AsyncIterator<Buffer, undefined>, wire: Wire): AsyncGenerator<Buffer> {
  for (let chunk: Buffer | undefined = head; chunk !== undefined; chunk = (await rest.next()).value) {
    wire.bytes += chunk.length;
    yield chunk;
  }
}

function codingOf(contentEncoding: string | undefined): Coding | null {
  const coding = CODINGS.get((contentEncoding ?? '').trim().toLowerCase());
  if (coding === undefined) throw new EgressError('invalid-response', { rule: 'content-encoding' });
  return coding;
}
