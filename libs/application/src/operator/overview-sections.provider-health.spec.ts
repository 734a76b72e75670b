import { providerState, type ProviderRequests } from './overview-sections.js';

const seen = (hour: [number, number], recent: [number, number] = [0, 0]): ProviderRequests => ({
  requests: hour[0],
  failures: hour[1],
  recentRequests: recent[0],
  recentFailures: recent[1],
});

describe('providerState', () => {
  it.each([
    ['unknown', 'nothing was asked of it', seen([0, 0])],
    ['ok', 'all went well', seen([100, 0])],
    ['ok', 'one of very many failed', seen([100, 4])],
    ['troubled', 'some fail', seen([100, 5])],
    ['troubled', 'the only ones fail, but they are too few', seen([2, 2])],
    ['down', 'most fail', seen([6, 3])],
    ['ok', 'it failed, and has worked in the last minutes', seen([100, 80], [10, 0])],
    ['down', 'it worked, and has failed in the last minutes', seen([1_000, 10], [10, 10])],
  ] as const)('is %s when %s', (state, _, requests) => expect(providerState(requests, false)).toBe(state));

  it('is troubled when grants are refused in masses, whatever requests say, but for a provider that is down', () => {
    expect(providerState(seen([0, 0]), true)).toBe('troubled');
    expect(providerState(seen([100, 0]), true)).toBe('troubled');
    expect(providerState(seen([10, 10]), true)).toBe('down');
  });
});
