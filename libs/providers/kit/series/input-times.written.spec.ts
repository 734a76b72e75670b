import { readInstant, wallMsOf } from './input-times.js';

describe('wallMsOf', () => {
  it.each(['1970-01-01', '2028-02-29', '0001-12-31', '2027-03-28T02:30:59', '9999-12-31T23:59:59'])(
    'reads %s',
    (text) => {
      expect(wallMsOf(text)).toBe(Date.parse(text.includes('T') ? `${text}Z` : text));
    },
  );

  it.each([
    '2027-02-29',
    '2027-13-01',
    '2027-00-10',
    '2027-04-31T08:00:00',
    '2027-04-30T24:00:00',
    '2027-04-30T08:60:00',
  ])('does not take %s for another time', (text) => {
    expect(wallMsOf(text)).toBeNull();
  });
});

describe('readInstant', () => {
  it.each([
    ['2026-11-22T10:24:40Z', '2026-11-22T10:24:40Z'],
    ['2026-11-22T10:24:40.1234567Z', '2026-11-22T10:24:40Z'],
    ['2026-11-22T10:24:40.9+02:00', '2026-11-22T08:24:40Z'],
    ['2027-02-29T00:00:00Z', '2027-03-01T00:00:00Z'],
    ['2026-13-22T10:24:40Z', undefined],
    ['9999-12-31T23:59:59-05:00', undefined],
    ['-000001-01-01T00:00:00Z', undefined],
    ['soon', undefined],
    [1_795_343_080_000, undefined],
    [null, undefined],
  ])('of %p is %p', (value, read) => {
    expect(readInstant(value)).toBe(read);
  });
});
