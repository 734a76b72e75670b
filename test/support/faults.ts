import { gzipSync } from 'node:zlib';
import type { Fault } from './fault-server.js';

const MIB = 1024 * 1024;

/** A well-behaved answer. */
export function answer(status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Fault {
  return (_request, response) => response.writeHead(status, headers).end(body);
}

/** Accepts the request and never says anything. */
export function silence(): Fault {
  return () => undefined;
}

/** Sends chunks for as long as the client reads them. */
export function endlessBody(headers: Record<string, string> = {}): Fault {
  return repeating(Buffer.alloc(64 * 1024, 'x'), Number.POSITIVE_INFINITY, headers);
}

/** Sends one byte per `intervalMs`, without end: never idle for long, never done. */
export function drip(intervalMs: number): Fault {
  return (_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), intervalMs);
    response.on('close', () => clearInterval(timer));
  };
}

/** Sends the status line and headers one byte per `intervalMs`. */
export function dripHeaders(intervalMs: number): Fault {
  return (_request, { socket }) => {
    const timer = setInterval(() => socket?.write('x'), intervalMs);
    socket?.write('HTTP/1.1 200 OK\r\nx-slow: ');
    socket?.on('close', () => clearInterval(timer));
  };
}

/**
 * About `expandedMib` MiB of zeros in a thousandth of their size: gzip members of 10 MiB each, one after the other
 * (RFC 1952 §2.2), so that making it costs nothing. 10 240 makes 10 MiB into 10 GiB.
 */
export function gzipBomb(expandedMib: number): Fault {
  const member = gzipSync(Buffer.alloc(10 * MIB), { level: 9 });
  return repeating(member, Math.ceil(expandedMib / 10), { 'content-encoding': 'gzip', 'content-type': 'text/xml' });
}

/** Declares `declared` bytes, sends `body`, then ends the connection. */
export function wrongContentLength(declared: number, body: string): Fault {
  return raw(`HTTP/1.1 200 OK\r\ncontent-length: ${declared}\r\n\r\n${body}`);
}

/** Bytes as they are, then the end of the connection. */
export function raw(bytes: string | Buffer): Fault {
  return (_request, { socket }) => socket?.end(bytes);
}

/** RST (not FIN): before any answer, or after the headers and some of the body. */
export function reset(when: 'before-response' | 'in-body'): Fault {
  return (_request, response) => {
    const { socket } = response;
    if (when === 'before-response') socket?.resetAndDestroy();
    else {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('part', () => setTimeout(() => socket?.resetAndDestroy(), 20));
    }
  };
}

/** One header of `bytes` bytes. */
export function hugeHeaders(bytes: number): Fault {
  return (_request, { socket }) =>
    socket?.end(`HTTP/1.1 200 OK\r\nx-huge: ${'h'.repeat(bytes)}\r\ncontent-length: 0\r\n\r\n`);
}

/** A multistatus that declares entities: exponential expansion and a file of the reader's machine. */
export function doctypeXml(): Fault {
  const entities = Array.from({ length: 9 }, (_, level) => {
    const reference = level === 0 ? 'lol' : `&e${level - 1};`.repeat(10);
    return `<!ENTITY e${level} "${reference}">`;
  });
  return answer(
    207,
    `<?xml version="1.0"?><!DOCTYPE multistatus [${entities.join('')}<!ENTITY file SYSTEM "file:///etc/passwd">]>` +
      '<multistatus xmlns="DAV:"><response><href>/&e8;&file;</href></response></multistatus>',
    { 'content-type': 'application/xml; charset=utf-8' },
  );
}

export function redirect(location: string, status: 301 | 302 | 303 | 307 | 308 = 302): Fault {
  return answer(status, 'moved', { location });
}

/** `/chain/3` leads to `/chain/2` and so on; `/chain/0` leads to `end`. Route `/chain/0` to `/chain/<hops>` with it. */
export function redirectChain(end: string): Fault {
  return (request, response) => {
    const left = Number(/\d+$/.exec(request.url ?? '')?.[0] ?? 0);
    redirect(left === 0 ? end : `/chain/${left - 1}`)(request, response);
  };
}

function repeating(piece: Buffer, times: number, headers: Record<string, string>): Fault {
  return (_request, response) => {
    response.writeHead(200, headers);
    let left = times;
    const more = () => {
      while (left > 0 && !response.destroyed) {
        left -= 1;
        if (!response.write(piece)) return;
      }
      response.end();
    };
    response.on('drain', more);
    more();
  };
}
