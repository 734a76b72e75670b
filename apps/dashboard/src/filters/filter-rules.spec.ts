import { expect, it } from '@jest/globals';
import { changeFilters, filteredPath, readFilters } from './filter-rules.js';

const RULES = { state: ['pending', 'failed'], endpointId: 'text' } as const;

it('reads filters from an address, and nothing that is none', () => {
  const read = (query: string) => readFilters(new URLSearchParams(query), RULES);
  expect(read('state=failed&endpointId=%20e%20&applicationId=a')).toEqual({ state: 'failed', endpointId: 'e' });
  expect(read('state=constructor&endpointId=%20')).toEqual({});
});

it('changes filters and leaves the others, and the address that it was given', () => {
  const params = new URLSearchParams('state=failed&endpointId=e');
  expect(changeFilters(params, { state: undefined, applicationId: ' a&b ' }).toString()).toBe(
    'endpointId=e&applicationId=a%26b',
  );
  expect(changeFilters(params, { state: '' }).toString()).toBe('endpointId=e');
  expect(params.toString()).toBe('state=failed&endpointId=e');
});

it('leads to a list with those filters that there are', () => {
  expect(filteredPath('/messages', { endpointId: 'e/1', state: undefined, applicationId: null })).toBe(
    '/messages?endpointId=e%2F1',
  );
  expect(filteredPath('/messages', {})).toBe('/messages');
});
