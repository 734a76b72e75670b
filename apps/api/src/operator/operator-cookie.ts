import type { Request, Response } from 'express';
import { DEVICE_LIFETIME_MS, type BegunSession } from '#application';
import { oneCookie } from '../http/one-cookie.js';

/**
 * Browsers take it over https only (RFC 6265bis §4.1.3.1), and send it to the operators' API alone: no other page or route of
 * this origin ever sees it. `__Host-` would send it everywhere.
 */
const NAME = '__Secure-uc_operator';
/** One for each operator who has signed in with the browser. */
const DEVICE_PREFIX = '__Secure-uc_device_';
const ATTRIBUTES = { httpOnly: true, path: '/api/operator', sameSite: 'strict', secure: true } as const;

/** The cookie of a session. It ends with the browser, or with the session. */
export function readOperatorCookie(request: Request): string | null {
  return oneCookie(request, NAME);
}

/** Hands the browser its session, and what it is known by when it signs in again. */
export function writeOperatorCookies(response: Response, { secret, device }: BegunSession): void {
  response.cookie(NAME, secret, ATTRIBUTES);
  if (device === null) return;
  const { operatorId, token } = device;
  response.cookie(DEVICE_PREFIX + operatorId, token, { ...ATTRIBUTES, maxAge: DEVICE_LIFETIME_MS });
}

/** What the browser has of a login of the operator before. It outlives the session. */
export function readDeviceCookie(request: Request, operatorId: string): string | null {
  return oneCookie(request, DEVICE_PREFIX + operatorId);
}

export function clearOperatorCookie(response: Response): void {
  response.clearCookie(NAME, ATTRIBUTES);
}
