import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import type { GraphCall } from './graph-transport.js';
import { clientOver, refusal, SECRET } from './testing/microsoft-client.js';

const BATCH = 'POST /v1.0/$batch';

interface Part {
  id: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  dependsOn?: string[];
}

/** Answers each part by what `answer` says of its URL, the last part first. */
class BatchEgress extends ScriptedEgress {
  constructor(private readonly answer: (url: string, round: number) => object) {
    super();
  }

  override async request(request: Parameters<ScriptedEgress['request']>[0]) {
    const { requests } = JSON.parse(String(request.body)) as { requests: Part[] };
    const responses = requests.toReversed().map(({ id, url }) => ({ id, ...this.answer(url, this.requests.length) }));
    this.on(BATCH, { json: { responses } });
    return super.request(request);
  }

  get rounds(): Part[][] {
    return this.bodies.map((body) => (body as { requests: Part[] }).requests);
  }
}

const read = (id: number): GraphCall => ({ method: 'GET', path: `/me/events/${id}`, query: { $select: 'id,a b' } });
const calls = (count: number) => Array.from({ length: count }, (_, id) => read(id));
const ok = (url: string) => ({ status: 200, body: { url } });
const throttled = (retryAfter?: string) => ({
  status: 429,
  headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
  body: { error: { code: 'ApplicationThrottled', message: 'slow' } },
});

describe('batches', () => {
  it('are answered in the order of the calls, twenty to a round trip', async () => {
    const egress = new BatchEgress(ok);
    const { connection, budget, slots } = clientOver(egress);
    const responses = await connection.batch(calls(45));
    expect(responses.map(({ body }) => (body as { url: string }).url)).toEqual(
      calls(45).map(({ path }) => `${path}?$select=id%2Ca%20b`),
    );
    expect(egress.rounds.map(({ length }) => length)).toEqual([20, 20, 5]);
    expect(budget.taken).toBe(45);
    expect(slots.held).toHaveLength(3);
  });

  it('carry the preferences of every call, and the token outside only', async () => {
    const egress = new BatchEgress(ok);
    await clientOver(egress).connection.batch([{ ...read(1), headers: { Prefer: 'outlook.timezone="X"' } }]);
    expect(egress.rounds[0]![0]!.headers).toEqual({
      prefer: 'IdType="ImmutableId", outlook.timezone="X", outlook.body-content-type="text"',
    });
    expect(String(egress.requests[0]!.body)).not.toContain(SECRET);
  });

  it('F24 carry out one part after the other, and go on behind one that is refused', async () => {
    const egress = new BatchEgress((url, round) => {
      if (url.includes('/1?')) return { status: 404 };
      return round === 0 && /\/[23]\?/.test(url) ? { status: 424 } : ok(url);
    });
    const { connection, clock } = clientOver(egress);
    const responses = await connection.batch(calls(4));
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 200, 200]);
    expect(egress.rounds.map((parts) => parts.map(({ id, dependsOn }) => [id, dependsOn]))).toEqual([
      [
        ['0', undefined],
        ['1', ['0']],
        ['2', ['1']],
        ['3', ['2']],
      ],
      [
        ['2', undefined],
        ['3', ['2']],
      ],
    ]);
    expect(clock.waits).toEqual([]);
  });

  it('leave alone what has its own answer, good or bad', async () => {
    const body = { error: { code: 'ErrorItemNotFound' } };
    const egress = new BatchEgress((url) => (url.includes('/1?') ? { status: 404, body } : { status: 204 }));
    expect(await clientOver(egress).connection.batch(calls(2))).toEqual([
      { status: 204, body: null },
      { status: 404, body },
    ]);
    expect(egress.requests).toHaveLength(1);
  });

  it('F24 repeat the throttled parts alone, after the longest wait among them', async () => {
    const egress = new BatchEgress((url, round) => {
      if (round > 0) return ok(url);
      return url.includes('/1?') ? throttled('2') : url.includes('/2?') ? throttled('4.5') : ok(url);
    });
    const { connection, budget, clock } = clientOver(egress);
    const responses = await connection.batch(calls(4));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(egress.rounds.map((parts) => parts.map(({ id }) => id))).toEqual([
      ['0', '1', '2', '3'],
      ['1', '2'],
    ]);
    expect(clock.waits).toEqual([5_000]);
    expect(budget.taken).toBe(6);
  });

  it('F25 repeat parts that failed for the moment', async () => {
    const egress = new BatchEgress((url, round) => (round === 0 ? { status: 503, body: null } : ok(url)));
    expect(await clientOver(egress).connection.batch(calls(1))).toEqual([
      { status: 200, body: { url: '/me/events/0?$select=id%2Ca%20b' } },
    ]);
  });

  it('F24 tell how long to wait when a part stays throttled', async () => {
    const egress = new BatchEgress((url) => (url.includes('/1?') ? throttled('20') : ok(url)));
    await expect(clientOver(egress).connection.batch(calls(2))).rejects.toMatchObject({
      status: 429,
      code: 'ApplicationThrottled',
      retryAfterMs: 20_000,
    });
    expect(egress.requests).toHaveLength(1);
  });

  it('ask nothing when there is nothing to ask', async () => {
    expect(await clientOver(new ScriptedEgress()).connection.batch([])).toEqual([]);
  });

  it.each<Scripted>([
    { json: {} },
    { json: { responses: 'x' } },
    { json: { responses: [null, { id: '7', status: 200 }] } },
    { json: { responses: [{ id: '0', status: '200' }] } },
  ])('do not take %j for an answer', async (response) => {
    const { connection } = clientOver(new ScriptedEgress().on(BATCH, response));
    await expect(connection.batch(calls(1))).rejects.toMatchObject({ code: 'ProviderUnavailable' });
  });

  it('fail as one when the whole of it is refused', async () => {
    const { connection } = clientOver(new ScriptedEgress().on(BATCH, refusal(401, 'InvalidAuthenticationToken')));
    await expect(connection.batch(calls(3))).rejects.toMatchObject({ name: 'GraphApiError', status: 401 });
  });
});
