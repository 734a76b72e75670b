import { namesVersion, plainEtag } from './version-tag.js';

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
    [`${'"'.repeat(16_000)}x`, `${'"'.repeat(16_000)}x`],
  ])('shows %s as %s', (etag, plain) => expect(plainEtag(etag)).toBe(plain));
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
