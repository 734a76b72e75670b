import { namesVersion, plainEtag } from './conditional-edit.js';

describe('plainEtag', () => {
  it.each([
    ['"3181161784712000"', '3181161784712000'],
    ['W/"ck-e1"', 'ck-e1'],
    [' w/"ck-e1" ', 'ck-e1'],
    ['""twice""', 'twice'],
    ['bare', 'bare'],
    ['a"b', 'a"b'],
    ['', ''],
    ['"', '"'],
    ['""', ''],
    ['"half', '"half'],
    ['half"', 'half"'],
  ])('shows %s as %s', (etag, plain) => expect(plainEtag(etag)).toBe(plain));

  it('takes no time for a row of quote marks', () => {
    const marks = '"'.repeat(16_000);
    expect(plainEtag(`${marks}x`) === `${marks}x`).toBe(true);
  });
});

describe('namesVersion', () => {
  it.each([
    ['ck-e1', 'W/"ck-e1"', true],
    ['"ck-e1"', 'ck-e1', true],
    ['other, W/"ck-e1"', '"ck-e1"', true],
    [' * ', '"ck-e1"', true],
    ['*', null, true],
    ['ck-e1', null, false],
    ['ck-e', '"ck-e1"', false],
    ['', '"ck-e1"', false],
  ])('If-Match %s against %s: %s', (asked, etag, isNamed) => expect(namesVersion(asked, etag)).toBe(isNamed));
});
