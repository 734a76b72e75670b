import { connect } from 'node:net';

/** An answer to bytes that no HTTP client would send. */
export interface RawResponse {
  /** 0 when the connection ended without an answer. */
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends header lines and a body as they are to a port of 127.0.0.1 and reads one answer. `pieces`: sent one after the
 * other, as fast as they are taken, until the answer is there.
 */
export function rawRequest(port: number, lines: string[], ...pieces: (string | Buffer)[]): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const received: Buffer[] = [];
    const left: (string | Buffer)[] = [`${lines.join('\r\n')}\r\n\r\n`, ...pieces];
    const sendMore = (): void => {
      while (left.length > 0 && socket.writable) if (!socket.write(left.shift() as string | Buffer)) return;
    };
    socket.on('connect', sendMore);
    socket.on('drain', sendMore);
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      if (isComplete(Buffer.concat(received))) socket.destroy();
    });
    socket.on('close', () => resolve(parse(Buffer.concat(received).toString('utf8'))));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Refused in the middle of what we were sending: an answer that came before counts.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer within 20 s')));
  });
}

/** Whether the whole of an answer is there: its length is announced, or it is chunked (RFC 9112 §6). */
function isComplete(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = /^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1];
  if (length !== undefined) return bytes.length >= end + 4 + Number(length);
  return text.endsWith('\r\n0\r\n\r\n');
}

function parse(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n');
  const [start = '', ...lines] = text.slice(0, end === -1 ? 0 : end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = text.slice(end + 4);
  return {
    status: Number(start.split(' ')[1] ?? 0),
    headers,
    body: headers['transfer-encoding'] === 'chunked' ? unchunked(body) : body,
  };
}

/** RFC 9112 §7.1, without extensions and trailers. */
function unchunked(text: string): string {
  let rest = Buffer.from(text);
  let body = '';
  for (;;) {
    const lineEnd = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.subarray(0, lineEnd).toString(), 16);
    if (lineEnd === -1 || !(size > 0)) return body;
    body += rest.subarray(lineEnd + 2, lineEnd + 2 + size).toString();
    rest = rest.subarray(lineEnd + 2 + size + 2);
  }
}
