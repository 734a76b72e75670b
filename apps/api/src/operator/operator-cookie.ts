import type { Request, Response } from 'express';
import { oneCookie } from '../http/one-cookie.js';

/** Browsers take it from this very host only, and only `Secure` (RFC 6265bis §4.1.3.2). */
const NAME = '__Host-uc_operator';
const ATTRIBUTES = { httpOnly: true, path: '/', sameSite: 'strict', secure: true } as const;

/** The cookie of a session. It ends with the browser, or with the session. */
export function readOperatorCookie(request: Request): string | null {
  return oneCookie(request, NAME);
}

export function writeOperatorCookie(response: Response, secret: string): void {
  response.cookie(NAME, secret, ATTRIBUTES);
}

export function clearOperatorCookie(response: Response): void {
  response.clearCookie(NAME, ATTRIBUTES);
}
