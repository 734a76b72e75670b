import { readApiError } from './errors.js';

const CONTEXT = { nowMs: Date.UTC(2026, 10, 21), secret: 'canary' };
const read = (json: unknown, headers: Record<string, string> = {}, status = 400) =>
  readApiError({ status, headers, body: Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)) }, CONTEXT);

describe('faultOf (microsoft)', () => {
  it('reads code and sentence', () => {
    const fault = read({ error: { code: 'ErrorItemNotFound', message: 'Not <b>there</b>.\r\n', innerError: {} } });
    expect(fault).toMatchObject({ status: 400, code: 'ErrorItemNotFound', detail: 'Not there .', retryAfterMs: null });
  });

  it.each([
    [{ code: 'badRequest', innererror: { code: 'resyncRequired' } }, 'resyncRequired'],
    [{ code: 'ErrorItemNotFound', innerError: { code: 'x1', innererror: { code: 'x2' } } }, 'ErrorItemNotFound'],
    [{ code: 'a', innerError: { code: 'b' } }, 'a'],
    [{ innerError: { code: 'accessDenied' } }, 'accessDenied'],
    [{ code: 'not a code' }, null],
    [{ code: 7 }, null],
  ])('takes the deepest code that it knows, else the outermost: %j', (error, code) => {
    expect(read({ error }).code).toBe(code);
  });

  it.each([401, 403])('takes a claims challenge for a token that is too old: %d', (status) => {
    const challenge = 'Bearer realm="", error="insufficient_claims", claims="eyJhY2Nlc3NfdG9rZW4iOnt9fQ=="';
    const fault = read({ error: { code: 'ErrorAccessDenied' } }, { 'www-authenticate': challenge }, status);
    expect(fault).toMatchObject({ status, code: 'insufficient_claims' });
    expect(read({}, { 'www-authenticate': 'Bearer error="invalid_token"' }, status).code).toBeNull();
  });

  it.each([
    ['7', 7_000],
    ['0.5', 500],
    ['Sat, 21 Nov 2026 00:00:09 GMT', 9_000],
    ['never', null],
  ])('reads Retry-After: %s', (header, ms) => {
    expect(read({}, { 'retry-after': header }, 429).retryAfterMs).toBe(ms);
  });

  it.each(['', 'null', '[]', '{"error":', '<html>', '{"error":"x"}', '{"error":{"message":{}}}'])(
    'has nothing but the status of %j',
    (body) => {
      expect(read(body, {}, 502)).toMatchObject({ status: 502, code: null, detail: '' });
    },
  );

  it('N55 never repeats the token', () => {
    expect(read({ error: { message: 'no canary here' } }).detail).toBe('no … here');
  });

  it('does not descend for ever', () => {
    const nested = Array.from({ length: 5_000 }).reduce<object>((innerError) => ({ innerError }), { code: 'deep' });
    expect(read({ error: nested }).code).toBeNull();
  });
});
