import { htmlResponse, html } from '../../http/html.js';
import { jsonResponse, type HttpResponse } from '../../http/message.js';
import { GoogleErrorResponse, type GoogleErrorItem } from '../contract.js';

/**
 * A request that no correct client sends. The response has Google's words, the journal the more precise `violation`.
 */
export class IncorrectRequest extends GoogleErrorResponse {
  constructor(
    readonly violation: string,
    item: GoogleErrorItem,
    { status = 400, ...extra }: { status?: number; rpcStatus?: string } = {},
  ) {
    super(status, item, extra.rpcStatus === undefined ? {} : { status: extra.rpcStatus });
  }
}

export function errorResponse({ status, item, extra }: GoogleErrorResponse): HttpResponse {
  const headers: Record<string, string> =
    status === 401 ? { 'www-authenticate': 'Bearer realm="https://accounts.google.com/", error="invalid_token"' } : {};
  const error = { code: status, message: item.message, errors: [item], ...extra };
  return jsonResponse(status, { error }, { headers, indent: 1 });
}

/** https://developers.google.com/workspace/calendar/api/guides/errors */
const USAGE_LIMITS: Readonly<Record<string, string>> = {
  rateLimitExceeded: 'Rate Limit Exceeded',
  userRateLimitExceeded: 'User Rate Limit Exceeded',
  quotaExceeded: 'Calendar usage limits exceeded.',
  dailyLimitExceeded: 'Daily Limit Exceeded',
  accessNotConfigured: 'Access Not Configured.',
};
const GLOBAL: Readonly<Record<string, string>> = {
  backendError: 'Backend Error',
  internalError: 'Internal Error',
  authError: 'Invalid Credentials',
  forbidden: 'Forbidden',
  notFound: 'Not Found',
};

export function errorItem(reason: string): GoogleErrorItem {
  const usage = USAGE_LIMITS[reason];
  return { domain: usage === undefined ? 'global' : 'usageLimits', reason, message: usage ?? GLOBAL[reason] ?? reason };
}

/** Google's page for an unreachable backend. */
export function brokenFrontEnd(): HttpResponse {
  const page = html`<!doctype html>
    <html lang="en">
      <title>Error 502 (Server Error)!!1</title>
      <p><b>502.</b> <ins>That’s an error.</ins></p>
      <p>
        The server encountered a temporary error and could not complete your request. Please try again in 30 seconds.
      </p>
    </html>`;
  return htmlResponse(502, page);
}
