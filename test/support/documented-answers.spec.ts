import { assertDocumented, assertDocumentedMessage } from './documented-answers.js';

const ACCOUNT = {
  ...{
    id: 'a',
    email: 'ada@example.test',
    providerType: 'GOOGLE',
    status: 'ACTIVE',
    externalId: 'u',
    applicationId: 'x',
  },
  ...{ providerId: 'p', providerAccountId: 'g', serverUrl: null, authorizedScopes: [] },
  ...{ createdAt: '2026-11-20T08:00:00Z', updatedAt: '2026-11-20T08:00:00Z' },
};
const NOT_FOUND = { error: 'NotFound', code: 'NotFound', message: 'No.', requestId: 'r' };

const RATE_LIMITED = { error: 'RateLimited', code: 'RateLimited', message: 'No.', requestId: 'r' };

function problemOf(path: string, status: number, body: object, headers = {}): string | null {
  try {
    assertDocumented('GET', path, { status, body, headers: new Headers({ 'x-request-id': 'r', ...headers }) });
    return null;
  } catch (error) {
    return (error as Error).message.replace(/: \{.*/, '').replace(/^.* \d+: /, '');
  }
}

describe('assertDocumented', () => {
  it.each([
    ['an answer of the document', 200, ACCOUNT, null],
    ['an error of the document', 404, NOT_FOUND, null],
    ['a status that is not in the document', 409, NOT_FOUND, 'unknown status'],
    ['a code of another status', 404, { ...NOT_FOUND, code: 'Conflict' }, 'unknown code'],
    ['a field that is not in the document', 200, { ...ACCOUNT, token: 'x' }, ' must NOT have additional properties'],
    ['a time in another format', 200, { ...ACCOUNT, createdAt: 'today' }, '/createdAt must match format "date-time"'],
    ['a field of another type', 200, { ...ACCOUNT, email: 7 }, '/email must be string'],
  ])('judges %s', (_, status, body, problem) => {
    expect(problemOf('/api/v1/endUserAccounts/a', status, body)).toBe(problem);
  });

  it.each([
    ['Retry-After in seconds', 429, RATE_LIMITED, { 'retry-after': '2' }, null],
    ['a rate limit without Retry-After', 429, RATE_LIMITED, {}, 'no Retry-After'],
    ['Retry-After with a fraction', 429, RATE_LIMITED, { 'retry-after': '1.5' }, 'Retry-After 1.5'],
    ['a header that is not in the document', 200, ACCOUNT, { 'x-other': '1' }, 'unknown header x-other'],
    ['a header that any page has', 200, ACCOUNT, { 'x-content-type-options': 'nosniff' }, null],
  ])('judges %s', (_, status, body, headers, problem) => {
    expect(problemOf('/api/v1/endUserAccounts/a', status, body, headers)).toBe(problem);
  });

  it('leaves paths alone that the document does not have', () => {
    expect(problemOf('/readyz', 418, {})).toBeNull();
  });
});

describe('assertDocumentedMessage', () => {
  const HEADERS = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1795255200', 'webhook-signature': 'v1,x' };
  const MESSAGE = { eventType: 'calendar.event.changed', timestamp: '2026-11-20T08:00:00Z' };

  it.each([
    ['a message of the document', MESSAGE, HEADERS, null],
    ['a body of a test', { n: 1 }, {}, null],
    [
      'a field that is not in the document',
      { ...MESSAGE, title: 'x' },
      HEADERS,
      ' must NOT have additional properties',
    ],
    ['a time in another format', { ...MESSAGE, timestamp: 'now' }, HEADERS, '/timestamp must match format "date-time"'],
    ['a header that is not in the document', MESSAGE, { ...HEADERS, 'x-other': '1' }, 'x-other'],
    ['a message without a header', MESSAGE, { ...HEADERS, 'webhook-id': undefined }, 'no webhook-id'],
  ])('judges %s', (_, body, headers, problem) => {
    const given = JSON.parse(JSON.stringify(headers)) as Record<string, string>;
    const check = () => assertDocumentedMessage(given, Buffer.from(JSON.stringify(body)));
    if (problem === null) expect(check).not.toThrow();
    else expect(check).toThrow(`Not in docs/openapi.json: ${problem}: {`);
  });
});
