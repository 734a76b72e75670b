import { parsedJson, refusalCode, refusalSentence, retryAfterMs } from '#providers/kit/calls';
import { recordOf } from '#providers/kit/events';
import { GraphFault } from './contract.js';
import { INSUFFICIENT_CLAIMS, isKnownCode } from './errors.js';

/** Inner errors may be nested; what lies deeper than this tells nothing any more. */
const MAX_DEPTH = 8;
/** Continuous access evaluation: https://learn.microsoft.com/entra/identity-platform/claims-challenge */
const CLAIMS_CHALLENGE = /(?:^|[\s,])error="?insufficient_claims"?/i;

/**
 * What a refusal says, in the form of https://learn.microsoft.com/graph/errors; of anything else (a proxy's page, half of
 * a body) the status is all there is.
 * @param secret never repeated, should the answer hold it
 */
export function faultOf(
  { status, headers, body }: { status: number; headers: Record<string, string>; body: Buffer },
  context: { nowMs: number; secret: string },
): GraphFault {
  return refusalOf({ status, headers, body: parsedJson(body) }, context);
}

/** The same of a body that is parsed already. @param headers names in lower case */
export function refusalOf(
  { status, headers, body }: { status: number; headers: Record<string, string>; body: unknown },
  { nowMs, secret }: { nowMs: number; secret: string },
): GraphFault {
  const error = recordOf(recordOf(body)['error']);
  const isChallenge = CLAIMS_CHALLENGE.test(headers['www-authenticate'] ?? '');
  const detail = typeof error['message'] === 'string' ? error['message'] : '';
  return new GraphFault(
    status,
    isChallenge ? INSUFFICIENT_CLAIMS : codeOf(error),
    refusalSentence(detail, secret),
    retryAfterMs(headers['retry-after'], nowMs),
  );
}

/** The deepest code that means something to us, else the outermost one. */
function codeOf(error: Record<string, unknown>): string | null {
  const codes: string[] = [];
  let inner = error;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const code = refusalCode(inner['code']);
    if (code !== null) codes.unshift(code);
    inner = recordOf(inner['innerError'] ?? inner['innererror']);
  }
  return codes.find(isKnownCode) ?? codes.at(-1) ?? null;
}
