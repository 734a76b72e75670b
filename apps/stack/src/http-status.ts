import { get } from 'node:http';

/** Status of an answer from loopback; null when there is none within `timeoutMs`. */
export function httpStatus(url: string, timeoutMs: number): Promise<number | null> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      response.resume();
      response.on('error', () => undefined); // the status is known; the rest does not matter
      resolve(response.statusCode ?? null);
    });
    request.on('error', () => resolve(null));
  });
}
