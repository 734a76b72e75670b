import { answer } from '../support/faults.js';
import { eventually } from '../support/processes.js';
import { startService, type Answer, type Service } from '../support/service.js';
import { SvixServer } from '../support/svix-server.js';
import { verified, WebhookReceiver, type Receipt } from '../support/webhook-receiver.js';
import { runWorker, type WorkerUnderTest } from '../support/worker.js';

/** All of the service, with Svix behind it. */
describe('the service with WEBHOOK_TRANSPORT=svix', () => {
  let svix: SvixServer;
  let receiver: WebhookReceiver;
  let service: Service;
  let worker: WorkerUnderTest | undefined;

  beforeAll(async () => {
    svix = await SvixServer.start();
    receiver = await WebhookReceiver.start();
    service = await startService({
      EGRESS_ALLOW: receiver.egressAllow,
      WEBHOOK_TRANSPORT: 'svix',
      SVIX_SERVER_URL: svix.origin,
      SVIX_TOKEN: svix.token,
    });
    await service.ops('migrate');
    worker = await runWorker(service.env['DATABASE_URL']!, service.env);
  });

  afterAll(async () => {
    await worker?.stop();
    await service?.stop();
    await receiver?.close();
    await svix?.close();
  });

  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    service.call(method, `/v1/webhookEndpoints${path}`, body === undefined ? {} : { body });

  async function create(path: string): Promise<{ id: string; endpointSecret: string }> {
    const eventTypes = ['enduseraccount.created'];
    return (await call('POST', '', { url: receiver.endpoint(path), eventTypes, rateLimit: 9 })).body;
  }

  async function received(id: string, path: string, count: number): Promise<{ messageId: string; receipt: Receipt }> {
    const { messageId } = (await call('POST', `/${id}/test`)).body;
    const receipt = (await receiver.receives(count, path)).at(-1) as Receipt;
    return { messageId, receipt };
  }

  it('delivers by Svix, lists its attempts, and tells it of what is done to an endpoint', async () => {
    const { id, endpointSecret } = await create('/hook');
    const first = await received(id, '/hook', 1);
    expect(verified(first.receipt, endpointSecret)).toMatchObject({ eventType: 'webhook.test' });
    const [application] = [...svix.applications.values()];
    const atSvix = application?.endpoints.get(id);
    expect(atSvix).toMatchObject({ url: receiver.endpoint('/hook', answer(200, 'thanks')), throttleRate: 9 });

    const attempts = await eventually('the attempt of Svix', async () => {
      const { data } = (await call('GET', `/${id}/messages/${first.messageId}/attempts`)).body;
      return data.some(({ status }: { status: number }) => status === 204) ? data : undefined;
    });
    expect(attempts).toEqual([expect.objectContaining({ number: 1, status: 204, failure: null, nextAttemptAt: null })]);

    const rotated = await call('POST', `/${id}/rotateSecret`, { overlapSeconds: 60 });
    expect(atSvix?.keys.map(({ key }) => key)).toEqual([rotated.body.endpointSecret, endpointSecret]);
    const { receipt } = await received(id, '/hook', 2);
    for (const secret of [endpointSecret, rotated.body.endpointSecret]) verified(receipt, secret);

    await call('PATCH', `/${id}`, { rateLimit: null });
    expect(atSvix?.throttleRate).toBeNull();
    expect((await call('DELETE', `/${id}`)).status).toBe(200);
    expect(application?.endpoints.has(id)).toBe(false);
    expect(svix.violations).toEqual([]);
  });

  it('enables, sends again and recovers there, too', async () => {
    const { id } = await create('/back');
    const { messageId, receipt } = await received(id, '/back', 1);
    const [application] = [...svix.applications.values()];
    const atSvix = application?.endpoints.get(id);
    if (atSvix !== undefined) atSvix.disabled = true;
    expect((await call('POST', `/${id}/enable`)).status).toBe(200);
    expect(atSvix?.disabled).toBe(false);

    receiver.endpoint('/back', answer(500), answer(204));
    expect((await call('POST', `/${id}/messages/${messageId}/resend`)).status).toBe(200);
    await eventually('the message comes again', () => (receiver.at('/back').length === 2 ? true : undefined));
    await svix.settled();
    await call('POST', `/${id}/recover`, { since: '2026-01-01T00:00:00Z' });
    await svix.settled();
    expect(receiver.at('/back').map(({ id: webhookId }) => webhookId)).toEqual(Array(3).fill(receipt.id));
  });

  it('says so when Svix does not answer', async () => {
    const { id } = await create('/lost');
    const { messageId } = await received(id, '/lost', 1);
    svix.failNext(/GET .*attempt/, { status: 500 });
    const answered = await call('GET', `/${id}/messages/${messageId}/attempts`);
    expect([answered.status, answered.body.code]).toEqual([502, 'ProviderUnavailable']);
  });
});
