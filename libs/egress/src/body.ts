import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
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

type Coding = (firstByte: number) => Transform;

const CHUNK_BYTES = 64 * 1024;

const gunzip: Coding = () => createGunzip({ chunkSize: CHUNK_BYTES });

const CODINGS: ReadonlyMap<string, Coding | null> = new Map([
  ['', null],
  ['identity', null],
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['br', () => createBrotliDecompress({ chunkSize: CHUNK_BYTES })],
  // RFC 9110 §8.4.1.2: zlib format; some servers send the bare stream. CM = 8 marks the former (RFC 1950 §2.2).
  ['deflate', (firstByte) => ((firstByte & 0x0f) === 8 ? createInflate : createInflateRaw)({ chunkSize: CHUNK_BYTES })],
]);

/** @throws EgressError bad-answer for a coding we did not ask for */
export function isCoded(contentEncoding: string | undefined): boolean {
  return codingOf(contentEncoding) !== null;
}

/**
 * The decoded body piece by piece, cut at its caps: nothing beyond one chunk is decompressed ahead of the reader.
 * The source is read to its end or destroyed. An empty body needs no coding, whatever the header says.
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
    for await (const chunk of coding === null ? source : decompressed(source, coding, wire)) {
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

async function* decompressed(source: Readable, coding: Coding, wire: Wire): AsyncGenerator<Buffer, void, undefined> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  const first = await chunks.next();
  if (first.done === true) return;
  const decoder = coding(first.value[0] ?? 0);
  // A fault of either side destroys the decoder with it, and so reaches the reader of the decoder.
  pipeline(counted(first.value, chunks, wire), decoder, () => undefined);
  yield* decoder as AsyncIterable<Buffer>;
}

/** The chunks from the wire, counted on their way to the decoder. */
async function* counted(first: Buffer, rest: AsyncIterator<Buffer, undefined>, wire: Wire): AsyncGenerator<Buffer> {
  for (let chunk: Buffer | undefined = first; chunk !== undefined; chunk = (await rest.next()).value) {
    wire.bytes += chunk.length;
    yield chunk;
  }
}

function codingOf(contentEncoding: string | undefined): Coding | null {
  const coding = CODINGS.get((contentEncoding ?? '').trim().toLowerCase());
  if (coding === undefined) throw new EgressError('bad-answer', { rule: 'content-encoding' });
  return coding;
}
