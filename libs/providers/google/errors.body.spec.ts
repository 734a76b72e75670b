import { readApiError } from './errors.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const fault = (body: unknown, status = 400) =>
  readApiError(
    { status, headers: {}, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) },
    { nowMs: NOW, secret: 'secret' },
  );

describe('faultOf', () => {
  it('reads the reason of the first error', () => {
    const error = {
      code: 403,
      message: 'Rate Limit Exceeded',
      errors: [{ reason: 'rateLimitExceeded' }, { reason: 'other' }],
    };
    expect(fault({ error }, 403)).toMatchObject({
      status: 403,
      code: 'rateLimitExceeded',
      detail: 'Rate Limit Exceeded',
      retryAfterMs: null,
    });
  });

  it('reads the reason of the details where there are no errors', () => {
    const details = [{ '@type': 'x' }, { reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }];
    expect(fault({ error: { message: 'no', details } }, 403).code).toBe('ACCESS_TOKEN_SCOPE_INSUFFICIENT');
  });

  it.each([
    '<html><title>502</title></html>',
    '',
    '{"error":',
    'null',
    '[]',
    '{"error":"invalid_grant"}',
    '{"error":{"errors":"x","details":7,"message":{}}}',
    '{"error":{"errors":[null],"message":["x"]}}',
    '{"error":{"errors":[{"reason":"two words; and\\u0000"}]}}',
  ])('knows the status alone of %j', (body) => {
    expect(fault(body, 502)).toMatchObject({ status: 502, code: null, detail: '' });
  });

  it('cleans and cuts the sentence, and leaves the secret out', () => {
    const { detail } = fault({ error: { message: `a\r\n\u0007<b>bold</b> secret \u202e${'x'.repeat(9_000)}` } });
    expect(detail).toMatch(/^a bold … x+…$/);
    expect(detail).toHaveLength(300);
  });
});
