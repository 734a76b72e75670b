import { housekeeping, InvalidJobPayload, parseEmptyPayload } from './jobs.js';

describe('parseEmptyPayload', () => {
  it.each([[undefined], [null], [{}]])('accepts %j', (data) => {
    expect(parseEmptyPayload(data)).toEqual({});
  });

  it.each([[{ accountId: '1' }], [[]], ['text'], [7]])('refuses %j: job data is stored in clear', (data) => {
    expect(() => parseEmptyPayload(data)).toThrow(InvalidJobPayload);
  });
});

describe('housekeeping', () => {
  it('keeps finished jobs within bounds', () => {
    expect(housekeeping.options.removeOnComplete).toEqual({ age: 3_600, count: 1_000 });
    expect(housekeeping.options.removeOnFail).toEqual({ age: 604_800, count: 1_000 });
  });
});
