import { DomainError } from '#domain';
import { readBack } from './read-back.js';

class Refusal extends Error {}

const back = (answer: number | Error, signal = new AbortController().signal) =>
  readBack({
    signal,
    read: async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    },
    isRefusal: (error) => error instanceof Refusal,
    otherwise: () => 1,
  });

describe('readBack', () => {
  it('tells what was read', async () => {
    expect(await back(2)).toBe(2);
  });

  it.each([
    ['the provider refuses', new Refusal()],
    ['the token is refused', new DomainError('CredentialsRejected', '')],
    ['the budget is used up', new DomainError('RateLimited', '')],
    ['nothing answers in time', new DomainError('ProviderTimeout', '')],
  ])('tells what is known without it when %s', async (_, error) => {
    expect(await back(error)).toBe(1);
  });

  it('ends with the request', async () => {
    expect(await back(new Error('aborted'), AbortSignal.abort())).toBe(1);
  });

  it('hides no fault of its own', async () => {
    await expect(back(new TypeError('broken'))).rejects.toThrow('broken');
  });
});
