import { parsedJson, refusalCode, refusalSentence, retryAfterMs } from '#providers/kit/calls';
import { recordOf } from '#providers/kit/events';
import { GoogleFault } from './contract.js';

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
  const reason = [item, ...details.map(recordOf)]
    .map((each) => refusalCode(each['reason']))
    .find((each) => each !== null);
  const detail = [error['message'], item['message']].find((each) => typeof each === 'string') ?? '';
  return new GoogleFault(
    answer.status,
    reason ?? null,
    refusalSentence(detail, secret),
    retryAfterMs(answer.headers['retry-after'], nowMs),
  );
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[])[0] : undefined;
}
