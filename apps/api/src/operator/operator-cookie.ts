import type { Request, Response } from 'express';
import { DEVICE_LIFETIME_MS, type NewSession } from '#application/operator';
import { oneCookie } from '../http/request-headers.js';

/** Sent to the operator API alone, over https only (RFC 6265bis §4.1.3.1); `__Host-` would force the path `/`. */
const NAME = '__Secure-uc_operator';
const DEVICE_PREFIX = '__Secure-uc_device_';
const ATTRIBUTES = { httpOnly: true, path: '/api/operator', sameSite: 'strict', secure: true } as const;

/** The cookie lasts until the browser or the session ends. */
export function readOperatorCookie(request: Request): string | null {
  return oneCookie(request, NAME);
}

export function writeOperatorCookies(response: Response, { secret, device }: NewSession): void {
  response.cookie(NAME, secret, ATTRIBUTES);
  if (device === null) return;
  const { operatorId, token } = device;
  response.cookie(DEVICE_PREFIX + operatorId, token, { ...ATTRIBUTES, maxAge: DEVICE_LIFETIME_MS });
}

/** Returns the device token of an earlier sign-in, which outlives the session. */
export function readDeviceCookie(request: Request, operatorId: string): string | null {
  return oneCookie(request, DEVICE_PREFIX + operatorId);
}

export function clearOperatorCookie(response: Response): void {
  response.clearCookie(NAME, ATTRIBUTES);
}
