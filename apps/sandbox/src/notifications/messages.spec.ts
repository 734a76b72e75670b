import { isReceiver, Messages } from './messages.js';

const MESSAGE = {
  url: 'http://127.0.0.1:1/hook',
  body: '',
  headers: { 'content-length': '0', 'x-goog-channel-id': 'c' },
};

const isRetried = (status: number): boolean => status >= 500;

/** Answers with what it is given, one after the other; 204 when there is no more. */
class Receiver {
  readonly seen: { url: string; method?: string; headers?: unknown; body?: unknown }[] = [];
  readonly answers: (number | Error)[] = [];

  readonly fetch = async (url: unknown, { method, headers, body }: RequestInit = {}): Promise<Response> => {
    this.seen.push({ url: String(url), method, headers, body });
    const response = this.answers.shift() ?? 204;
    if (typeof response !== 'number') throw response;
    return new Response(null, { status: response });
  };
}

it.each([
  ['http://localhost:3000/hook', true],
  ['http://127.0.0.2/hook', true],
  ['https://[::1]:8443/hook', true],
  ['https://tunnel.example/hook', true],
  ['http://tunnel.example/hook', false],
  ['https://10.0.0.1/hook', false],
  ['https://[fd00::1]/hook', false],
])('%s can be a receiver: %s', (url, isOne) => {
  expect(isReceiver(url)).toBe(isOne);
});

describe('Messages', () => {
  const quiet = () => new Promise<void>((resolve) => setTimeout(resolve, 30));
  const tried = async (receiver: Receiver, times: number): Promise<void> => {
    while (receiver.seen.length < times) await quiet();
    await quiet(); // one too many would come now
  };

  it.each<[string, (number | Error)[], number]>([
    ['a good answer', [200], 1],
    ['a refusal', [404, 204], 1],
    ['a redirect', [302, 204], 1],
    ['trouble', [500, 502, 204], 3],
    ['a receiver that is away', [new TypeError('fetch failed'), 204], 2],
    ['trouble without end', [503, 504, 503, 503, 503], 4],
  ])('after %s: %j, %i tries', async (_, responses, tries) => {
    const receiver = new Receiver();
    receiver.answers.push(...responses);
    new Messages(receiver.fetch, isRetried, [1, 1, 1]).send(MESSAGE);
    await tried(receiver, tries);
    expect(receiver.seen).toHaveLength(tries);
    expect(receiver.seen[0]).toMatchObject({ method: 'POST', url: MESSAGE.url, body: '' });
    expect(receiver.seen[0]?.headers).toEqual({ 'x-goog-channel-id': 'c' });
  });

  it('sends nothing more once it is reset, and then everything again', async () => {
    const receiver = new Receiver();
    const messages = new Messages(receiver.fetch, isRetried);
    messages.behave({ mode: 'duplicate', everyNth: 1, delayMs: 5 });
    messages.send(MESSAGE);
    messages.reset();
    await quiet();
    expect(receiver.seen).toEqual([]);
    messages.send(MESSAGE);
    await tried(receiver, 1);
    expect(receiver.seen).toHaveLength(1);
  });
});
