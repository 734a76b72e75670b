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
  /** Largest size after decompression, bytes. */
  maxBytes: number;
}

/** Bytes received so far, before decompression. */
interface Wire {
  bytes: number;
}

/** What we understand, and so ask for. One coding only: stacked ones multiply the ratio of a bomb. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/** Piece by piece, and all at once. @param firstByte of the body */
type Coding = (firstByte: number) => { stream: typeof createGunzip; whole: typeof gunzipSync };

const CHUNK_BYTES = 64 * 1024;
/** Larger bodies, compressed, are not decompressed all at once. */
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
  // RFC 9110 §8.4.1.2: zlib format; some servers send the bare stream. CM = 8 marks the former (RFC 1950 §2.2).
  ['deflate', (firstByte) => ((firstByte & 0x0f) === 8 ? zlibFormat : bareDeflate)],
]);

/** @throws EgressError bad-answer for a coding we did not ask for */
export function isCoded(contentEncoding: string | undefined): boolean {
  return codingOf(contentEncoding) !== null;
}

/**
 * The decoded body piece by piece, cut at its caps: nothing beyond one chunk is decompressed ahead of the reader, except
 * of a small body. The source is read to its end or destroyed. An empty body needs no coding, whatever the header says.
 * @throws EgressError too-large, bad-answer, reset, timeout, aborted
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
  // A fault of either side destroys the decoder with it, and so reaches the reader of the decoder.
  pipeline(counted(head, chunks, wire), decoder, () => undefined);
  yield* decoder as AsyncIterable<Buffer>;
}

/** What comes before a body is too large to be small; all of it when it is not. */
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
 * A decoder that streams is a trip to another thread for each of its chunks: for an answer of a few kilobytes ten times
 * the work. null for what becomes too large, or is not what its header says: streaming tells that as it comes to it.
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

/** The chunks from the wire, counted on their way to the decoder. */
async function* counted(head: Buffer, rest: AsyncIterator<Buffer, undefined>, wire: Wire): AsyncGenerator<Buffer> {
  for (let chunk: Buffer | undefined = head; chunk !== undefined; chunk = (await rest.next()).value) {
    wire.bytes += chunk.length;
    yield chunk;
  }
}

function codingOf(contentEncoding: string | undefined): Coding | null {
  const coding = CODINGS.get((contentEncoding ?? '').trim().toLowerCase());
  if (coding === undefined) throw new EgressError('bad-answer', { rule: 'content-encoding' });
  return coding;
}
