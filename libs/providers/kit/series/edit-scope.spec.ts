import { scopeOf } from './edit-scope.js';

const INSTANCE = { seriesId: 'daily', isSeries: false };
const SERIES = { seriesId: null, isSeries: true };
const SINGLE = { seriesId: null, isSeries: false };

describe('scopeOf', () => {
  it('is the instance itself where the caller does not say', () => {
    expect(scopeOf(INSTANCE, undefined)).toBe('this');
    expect(scopeOf(INSTANCE, 'following')).toBe('following');
    expect(scopeOf(INSTANCE, 'all')).toBe('all');
  });

  it('is the whole of what is no instance', () => {
    for (const event of [SERIES, SINGLE]) {
      expect([undefined, 'all', 'following'].map((asked) => scopeOf(event, asked as never))).toEqual([
        'all',
        'all',
        'all',
      ]);
    }
    expect(scopeOf(SINGLE, 'this')).toBe('all');
    expect(() => scopeOf(SERIES, 'this')).toThrow('scope');
  });
});
