import type { Answer } from '../support/service.js';

/** In every refusal of a provider under test; never in an answer of ours. */
export const BANNER = 'secret-banner-of-the-provider';

const FIELDS = ['code', 'details', 'error', 'message', 'provider', 'requestId'];

/** The one shape of an error, and nothing of our insides or of the provider's in it. */
export function expectEnvelope({ status, headers, body }: Answer, expected: number, code: string): void {
  expect([status, body.code]).toEqual([expected, code]);
  expect(body.error).toBe(body.code);
  expect(body.message).toMatch(/^[A-Z"][^\n]{5,300}[.?!]?$|^[\w.]+: /);
  expect(body.requestId).toBe(headers.get('x-request-id'));
  expect(Object.keys(body).filter((field) => !FIELDS.includes(field))).toEqual([]);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  const text = JSON.stringify(body);
  expect(text).not.toContain(BANNER);
  expect(text).not.toMatch(
    /\bat .+:\d+:\d+|node_modules|\.[jt]s\b|select |insert |relation|ECONN|127\.0\.0\.1|\/(work|tmp)\//i,
  );
  if (status === 429 || status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}
