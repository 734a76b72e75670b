import { randomUUID } from 'node:crypto';
import { jsonAnswer, type HttpAnswer } from '../../http/message.js';

/**
 * A refusal of the identity platform: an OAuth error, and the number that says more.
 * https://learn.microsoft.com/entra/identity-platform/reference-error-codes
 */
export class AadstsRefusal extends Error {
  override readonly name = 'AadstsRefusal';

  constructor(
    readonly error: string,
    /** `AADSTS50058`; the first one is told in the description. */
    readonly codes: readonly number[],
    message: string,
    readonly options: {
      status?: number;
      suberror?: string;
      /** A correct client never sends such a request. */
      isViolation?: boolean;
    } = {},
  ) {
    super(message);
  }

  /** `AADSTS65004: User declined to consent to access the app.` */
  get description(): string {
    return `AADSTS${this.codes[0]}: ${this.message}`;
  }
}

/** The body of a token endpoint's error. */
export function tokenErrorBody(refusal: AadstsRefusal, nowMs: number): Record<string, unknown> {
  const { error, codes, options, description } = refusal;
  const [traceId, correlationId] = [randomUUID(), randomUUID()];
  const timestamp = `${new Date(nowMs).toISOString().slice(0, 19).replace('T', ' ')}Z`;
  return {
    error,
    error_description: [
      description,
      ...[`Trace ID: ${traceId}`, `Correlation ID: ${correlationId}`, `Timestamp: ${timestamp}`],
    ].join(' '),
    error_codes: codes,
    timestamp,
    trace_id: traceId,
    correlation_id: correlationId,
    error_uri: `https://login.microsoftonline.com/error?code=${codes[0]}`,
    ...(options.suberror !== undefined && { suberror: options.suberror }),
  };
}

/** RFC 6749 §5.1 */
export function tokenAnswer(status: number, body: Record<string, unknown>): HttpAnswer {
  return jsonAnswer(status, body, { headers: { 'cache-control': 'no-store, no-cache', pragma: 'no-cache' } });
}
