import { jest } from '@jest/globals';
import { DomainError } from '#domain/system';
import { eventually } from '../../support/processes.js';
import { startHttpApp, type Answer, type HttpApp } from '../../support/http-app.js';

let http: HttpApp;
beforeAll(async () => {
  http = await startHttpApp();
});
afterAll(() => http.close());

const EVENTS = '/api/v1/events/acc/cal';
const EVENT = { title: 'Planning', start: { dateTime: '2026-11-23T09:00:00' } };

let create: jest.Mock;
beforeEach(() => {
  let count = 0;
  create = jest.fn(async () => ({ result: { id: `e${++count}` }, ignoredFields: ['webcam'] }));
  http.fakes.events.create = create as (...args: unknown[]) => unknown;
  http.fakes.idempotency.records.clear();
});

const post = (key: string, body: unknown = EVENT, path = EVENTS): Promise<Answer> =>
  http.call('POST', path, { body, headers: { 'idempotency-key': key } });

/** Options that the service was called with. */
const optionsOf = (call: number): { idempotencyKey?: string } =>
  create.mock.calls[call]?.[4] as { idempotencyKey?: string };

describe('Idempotency-Key', () => {
  it('answers a repetition as the first time, and says so', async () => {
    const first = await post('k');
    const second = await post('k');
    expect(create).toHaveBeenCalledTimes(1);
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.headers.get('x-ignored-fields')).toBe('webcam');
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  });

  it.each([
    ['body', () => post('k', { ...EVENT, title: 'Other' })],
    ['path', () => post('k', EVENT, '/api/v1/events/acc/other')],
    ['query', () => post('k', EVENT, `${EVENTS}?notifyParticipants=none`)],
  ])('answers 422 when it comes with another %s', async (_, other) => {
    await post('k');
    expect(await other()).toMatchObject({ status: 422, body: { code: 'IdempotencyKeyReused' } });
    expect(create).toHaveBeenCalledTimes(1);
  });

  it('answers 409 with Retry-After while the first request runs', async () => {
    let finish: (value: unknown) => void = () => undefined;
    const running = new Promise((resolve) => (finish = resolve));
    create.mockImplementationOnce(() => running);
    const first = post('k');
    while (create.mock.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await post('k');
    expect(second).toMatchObject({ status: 409, body: { code: 'Conflict' } });
    expect(second.headers.get('retry-after')).toBe('3');
    finish({ result: { id: 'slow' }, ignoredFields: [] });
    expect((await first).body).toEqual({ id: 'slow' });
  });

  it.each([
    [
      'the service fails',
      () => create.mockImplementationOnce(() => Promise.reject(new DomainError('ProviderUnavailable', 'Down.'))),
      EVENT,
      502,
    ],
    ['the body is not valid', () => undefined, { title: 'no start' }, 400],
  ])('forgets a request when %s', async (_, prepare, body, status) => {
    prepare();
    expect((await post('k', body)).status).toBe(status);
    expect((await post('k')).status).toBe(200);
  });

  it('F23 gives the provider a key that is stable over repetitions and different elsewhere', async () => {
    create.mockImplementation(() => Promise.reject(new DomainError('ProviderTimeout', 'Late.')));
    await post('k');
    await post('k');
    await post('other');
    await post('k', EVENT, '/api/v1/events/acc/other');
    const keys = [0, 1, 2, 3].map((call) => optionsOf(call).idempotencyKey);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(3);
  });

  it('is optional', async () => {
    await http.call('POST', EVENTS, { body: EVENT });
    expect(optionsOf(0).idempotencyKey).toBeUndefined();
    expect(http.fakes.idempotency.records.size).toBe(0);
  });

  const failOnce = (): void => {
    create.mockImplementationOnce(() => Promise.reject(new DomainError('ProviderUnavailable', 'Down.')));
  };
  const succeed = (): void => undefined;

  it.each([
    ['is answered', 'complete', succeed, 200],
    ['fails', 'release', failOnce, 502],
  ] as const)(
    'F17 a request %s although its record cannot be written, which is done as soon as it can',
    async (_, step, prepare, status) => {
      const write = jest.spyOn(http.fakes.idempotency, step);
      write.mockRejectedValueOnce(new Error('away')).mockRejectedValueOnce(new Error('away'));
      prepare();
      const first = await post('k');
      expect(first.status).toBe(status);
      expect((await post('k')).status).toBe(409);
      const again = await eventually('the record is written', async () => {
        const response = await post('k');
        return response.status === 409 ? undefined : response;
      });
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([
        200,
        step === 'complete' ? 'true' : null,
      ]);
      expect(create).toHaveBeenCalledTimes(step === 'complete' ? 1 : 2);
      write.mockRestore();
    },
  );

  it.each(['', 'x'.repeat(256), 'a\tb'])('answers 400 to the key "%s"', async (key) => {
    expect((await post(key)).body.details).toEqual([
      { path: 'Idempotency-Key', message: 'must have 1 to 255 printable ASCII characters' },
    ]);
  });

  it('means nothing on other methods', async () => {
    http.fakes.accounts.get = jest.fn(async () => ({ id: 'a' })) as (...args: unknown[]) => unknown;
    const response = await http.call('GET', '/api/v1/endUserAccounts/a', {
      headers: { 'idempotency-key': 'x'.repeat(300) },
    });
    expect(response.status).toBe(200);
  });
});
