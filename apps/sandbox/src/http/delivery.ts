import type { ServerResponse } from 'node:http';
import type { HttpResponse } from './message.js';

/** Sends a response, or fails to. */
export type Delivery = (response: ServerResponse) => void;

export function whole({ status, headers, body }: HttpResponse): Delivery {
  return (response) => {
    const isBodiless = status === 204 || status === 304;
    response.writeHead(status, isBodiless ? headers : { ...headers, 'content-length': body.length }).end(body);
  };
}

/** Never responds. */
export const silence: Delivery = () => undefined;

/** Sends RST, not FIN, before the first byte. */
export const connectionReset: Delivery = (response) => {
  response.socket?.resetAndDestroy();
};

/** Sends RST after the headers and half of the body. */
export function resetInBody(answer: HttpResponse): Delivery {
  return (response) =>
    writeHalf(response, answer, () => {
      // A reset drops data that the kernel still holds, so the data must leave first.
      setTimeout(() => response.socket?.resetAndDestroy(), 20);
    });
}

/** Ends the connection regularly after half of the announced body. */
export function truncated(answer: HttpResponse): Delivery {
  return (response) => writeHalf(response, answer, () => response.socket?.end());
}

/** Sends the body every tenth of a second at `bytesPerSecond`, but at least one byte. */
export function dripping({ status, headers, body }: HttpResponse, bytesPerSecond: number): Delivery {
  return (response) => {
    response.writeHead(status, { ...headers, 'content-length': body.length });
    response.flushHeaders();
    const everyMs = Math.max(100, 1000 / bytesPerSecond);
    const share = Math.max(1, Math.floor((bytesPerSecond * everyMs) / 1000));
    let sent = 0;
    const timer = setInterval(() => {
      response.write(body.subarray(sent, sent + share));
      sent += share;
      if (sent < body.length) return;
      clearInterval(timer);
      response.end();
    }, everyMs);
    response.on('close', () => clearInterval(timer));
  };
}

/** Sends `bytes` of white space before the body, as fast as the client reads; the JSON stays valid. */
export function padded({ status, headers, body }: HttpResponse, bytes: number): Delivery {
  return (response) => {
    response.writeHead(status, { ...headers, 'content-length': bytes + body.length });
    let left = bytes;
    const more = (): void => {
      while (left > 0 && !response.destroyed) {
        const size = Math.min(left, PADDING.length);
        left -= size;
        if (!response.write(PADDING.subarray(0, size))) return;
      }
      response.off('drain', more);
      response.end(body);
    };
    response.on('drain', more);
    more();
  };
}

const PADDING = Buffer.alloc(64 * 1024, ' ');

function writeHalf(response: ServerResponse, { status, headers, body }: HttpResponse, then: () => void): void {
  // An empty body has no half, so one byte is announced that never comes.
  response.writeHead(status, { ...headers, 'content-length': Math.max(1, body.length) });
  response.flushHeaders();
  response.write(body.subarray(0, Math.floor(body.length / 2)), then);
}
