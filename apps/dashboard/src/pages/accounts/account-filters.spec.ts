import { describe, expect, it } from '@jest/globals';
import { filtersOf, withFilter } from './account-filters.js';

describe('filtersOf', () => {
  it('reads the filters of an address', () => {
    const params = new URLSearchParams(
      'applicationId=a&providerType=GOOGLE&status=EXPIRED&search=%20ada%20&pageToken=t',
    );
    expect(filtersOf(params)).toEqual({
      applicationId: 'a',
      providerType: 'GOOGLE',
      status: 'EXPIRED',
      search: 'ada',
    });
  });

  it.each(['', 'providerType=toString&status=__proto__', 'providerType=google&status=&search=%20&applicationId='])(
    'leaves out what is no filter: %s',
    (query) => {
      expect(filtersOf(new URLSearchParams(query))).toEqual({});
    },
  );
});

describe('withFilter', () => {
  it('sets or takes away one filter, and begins at the first page', () => {
    const params = new URLSearchParams('status=EXPIRED&pageToken=t');
    expect(withFilter(params, 'search', 'a&b').toString()).toBe('status=EXPIRED&search=a%26b');
    expect(withFilter(params, 'status', '').toString()).toBe('');
    expect(params.toString()).toBe('status=EXPIRED&pageToken=t');
  });
});
