import { isDate, isDateTime, isInstant } from './formats.js';

describe('RFC 3339', () => {
  it.each(['2026-12-01T00:00:00Z', '2026-12-01t00:00:00.123456z', '2026-12-31T23:59:60-05:30'])('reads %s', (text) => {
    expect([isInstant(text), isDateTime(text)]).toEqual([true, true]);
  });

  it('tells instants from times that need a zone beside them', () => {
    expect([isInstant('2026-12-01T00:00:00'), isDateTime('2026-12-01T00:00:00')]).toEqual([false, true]);
  });

  it.each([
    '2026-12-01',
    '2026-12-01 00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-12-01T24:00:00Z',
    '2026-12-01T00:60:00Z',
    '2026-12-01T00:00Z',
    '2026-12-01T00:00:00+24:00',
    '2026-12-01T00:00:00+0100',
    '',
  ])('does not read %s', (text) => {
    expect(isDateTime(text)).toBe(false);
  });

  it('knows which days there are', () => {
    const days = ['2024-02-29', '2026-02-29', '2026-13-01', '26-01-01', '2026-01-01T'];
    expect(days.map(isDate)).toEqual([true, false, false, false, false]);
  });
});
