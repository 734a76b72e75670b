import { GoogleFault } from './contract.js';
import { parsedJson, recordOf } from './json.js';

/** Longest sentence of Google's that is passed on, characters. */
const MAX_DETAIL = 300;
/** Longest wait that is believed, milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * What a refusal says, in the form of https://developers.google.com/workspace/calendar/api/guides/errors; of anything
 * else (a proxy's page, half of a body) the status is all there is.
 * @param secret never repeated, should the answer hold it
 */
export function faultOf(
  answer: { status: number; headers: Record<string, string>; body: Buffer },
  { nowMs, secret }: { nowMs: number; secret: string },
): GoogleFault {
  const error = recordOf(recordOf(parsedJson(answer.body))['error']);
  const item = recordOf(first(error['errors']));
  const details = Array.isArray(error['details']) ? error['details'] : [];
  const reason = [item, ...details.map(recordOf)].map((each) => reasonOf(each['reason'])).find((each) => each !== null);
  const detail = [error['message'], item['message']].find((each) => typeof each === 'string') ?? '';
  return new GoogleFault(
    answer.status,
    reason ?? null,
    sentence(detail, secret),
    retryAfterMs(answer.headers['retry-after'], nowMs),
  );
}

/** `Retry-After` (RFC 9110 §10.2.3), seconds or date, as milliseconds; past dates are 0. null for none and for garbage. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  const isDate = /^[A-Z][a-z]{2},/.test(text);
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : isDate ? Date.parse(text) - nowMs : Number.NaN;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

function reasonOf(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Za-z][\w.-]{0,63}$/.test(value) ? value : null;
}

/** One line of text without markup, cut. */
function sentence(text: string, secret: string): string {
  const clean = (secret === '' ? text : text.replaceAll(secret, '…'))
    .slice(0, 4 * MAX_DETAIL)
    .replace(/<[^>]*>/g, ' ')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return clean.length > MAX_DETAIL ? `${clean.slice(0, MAX_DETAIL - 1)}…` : clean;
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[])[0] : undefined;
}
