import type { Response } from 'express';

/** RFC 9110 §15.4.3 */
export const FOUND = 302;

/** The browser goes on. Without a body: it would repeat what the address holds. */
export function sendTo(response: Response, location: string): void {
  if (response.headersSent) return;
  response.status(FOUND).setHeader('location', location).end();
}
