import { randomUUIDv7 } from 'node:crypto';
import { inspect } from 'node:util';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { GuardedEgress } from '#egress';
import {
  accountMessage,
  calendarMessage,
  rotated,
  SigningSecret,
  SvixDelivery,
  SvixTransport,
  classifyAttempt,
  type EndpointSecrets,
  type WebhookDelivery,
} from '#webhooks';
import { answer } from '../support/faults.js';
import { SvixServer } from '../support/svix-server.js';
import { WebhookReceiver, type Receipt } from '../support/webhook-receiver.js';

const APPLICATION = randomUUIDv7();
const HOUR_MS = 3_600_000;

describe('webhooks by a Svix server', () => {
  let svix: SvixServer;
  let receiver: WebhookReceiver;
  let egress: GuardedEgress;
  let options: ConstructorParameters<typeof SvixTransport>[0];
  let transport: SvixTransport;
  let service: SvixDelivery;
  let url: string;

  beforeEach(async () => {
    svix = await SvixServer.start();
    receiver = await WebhookReceiver.start();
    egress = new GuardedEgress({ allow: receiver.egressAllow, trustedOrigins: [svix.origin] });
    options = { egress, serverUrl: svix.origin, token: svix.token, nowMs: Date.now };
    transport = new SvixTransport(options);
    service = new SvixDelivery(options);
    url = receiver.endpoint('/hook');
  });

  afterEach(async () => {
    await svix.close();
    await receiver.close();
    await egress.close();
    expect(svix.violations).toEqual([]);
  });

  const once = (secrets = fresh()): WebhookDelivery['endpoint'] => ({
    id: randomUUIDv7(),
    applicationId: APPLICATION,
    url,
    rateLimit: null,
    secrets,
  });
  const fresh = (): EndpointSecrets => ({ active: SigningSecret.generate(), retiring: [] });

  function deliveryTo(endpoint: WebhookDelivery['endpoint']): WebhookDelivery {
    const change = {
      eventType: 'calendar.event.changed',
      changeDetectedAt: new Date(),
      endUserAccountId: 'account',
      calendarId: 'cal\u{1f4c5} #endar',
      webhookSubscriptionId: endpoint.id,
      providerType: 'GOOGLE',
    } as const;
    return {
      message: calendarMessage(randomUUIDv7(), change, { isEnriched: true }),
      endpoint,
      identity: change,
      isByHand: false,
    };
  }

  async function attempted(delivery: WebhookDelivery, by = transport) {
    const result = await by.attempt(delivery);
    await svix.settled();
    return { ...result, verdict: classifyAttempt(result).kind };
  }

  const verifies = ({ body, headers }: Receipt, secret: SigningSecret): boolean => {
    try {
      new Svix(secret.reveal()).verify(body.toString(), headers);
      new StandardWebhook(secret.reveal()).verify(body.toString(), headers);
      return true;
    } catch {
      return false;
    }
  };

  describe('a message', () => {
    it('reaches its endpoint and no other, as it is, under a signature that its secret verifies', async () => {
      const [endpoint, other] = [once(), { ...once(), url: receiver.endpoint('/other') }];
      const delivery = deliveryTo(endpoint);
      await attempted(deliveryTo(other));
      expect(await attempted(delivery)).toMatchObject({ status: 202, failure: null, verdict: 'delivered' });

      const receipts = receiver.at('/hook');
      expect(receipts).toHaveLength(1);
      expect(receiver.at('/other')).toHaveLength(1);
      const [receipt] = receipts as [Receipt];
      expect(receipt.body.equals(delivery.message.body)).toBe(true);
      expect(verifies(receipt, endpoint.secrets.active)).toBe(true);
      expect(verifies(receipt, other.secrets.active)).toBe(false);
      expect(receipt.headers).toMatchObject({
        'x-webhook-subscription-id': endpoint.id,
        'x-end-user-account-id': 'account',
        'x-calendar-id': 'cal%F0%9F%93%85%20#endar',
      });
    });

    it('has our id as its event id; what receivers see is the id of Svix, which the log of attempts names', async () => {
      const delivery = deliveryTo(once());
      const { responseText } = await attempted(delivery);
      const [message] = svix.messages(APPLICATION);
      expect(message).toMatchObject({ eventId: delivery.message.id, eventType: 'calendar.event.changed' });
      expect(receiver.ids()).toEqual([message?.id]);
      expect(responseText).toContain(message?.id);
    });

    it('is delivered once, however often it is handed over', async () => {
      const delivery = deliveryTo(once());
      svix.failNext(/POST .*\/msg$/, 'lost');
      expect(await attempted(delivery)).toMatchObject({ status: null, failure: 'reset', verdict: 'retry' });
      expect(await attempted(delivery)).toMatchObject({ status: 202, verdict: 'delivered' });
      expect(await attempted(delivery, new SvixTransport(options))).toMatchObject({ verdict: 'delivered' });
      expect(receiver.receipts).toHaveLength(1);
    });

    it('names nobody in its headers, when it is for an endpoint that hears of many accounts', async () => {
      const message = accountMessage(randomUUIDv7(), { eventType: 'enduseraccount.created', payload: { a: 1 } });
      const identity = { webhookSubscriptionId: null, endUserAccountId: 'account', calendarId: null };
      await attempted({ message, endpoint: once(), identity, isByHand: false });
      const [{ headers }] = receiver.receipts as [Receipt];
      expect(Object.keys(headers).filter((name) => name.startsWith('x-'))).toEqual([]);
    });

    it('W15 is sent again by hand under the same id; one that Svix never got is handed over', async () => {
      const byHand = { ...deliveryTo(once()), isByHand: true };
      expect(await attempted(byHand)).toMatchObject({ verdict: 'delivered' });
      expect(await attempted(byHand)).toMatchObject({ verdict: 'delivered' });
      expect(receiver.receipts.map(({ id }) => id)).toEqual(Array(2).fill(svix.messages(APPLICATION)[0]?.id));
    });

    it('N22 W7 is not handed over for a URL that we would not go to ourselves', async () => {
      const delivery = deliveryTo({ ...once(), url: 'https://169.254.169.254/' });
      expect(await attempted(delivery)).toMatchObject({ failure: 'address-blocked', verdict: 'rejected' });
      expect(svix.calls).toEqual([]);
    });
  });

  describe('an endpoint', () => {
    it('is told to Svix once; further messages cost one call each', async () => {
      const endpoint = once();
      await attempted(deliveryTo(endpoint));
      svix.calls.length = 0;
      await attempted(deliveryTo(endpoint));
      expect(svix.calls).toEqual([`POST /api/v1/app/${APPLICATION}/msg`]);
    });

    it('is told anew after a change, and leaves the rate to Svix', async () => {
      const endpoint = once();
      await attempted(deliveryTo(endpoint));
      expect(svix.endpoint(APPLICATION, endpoint.id)).toMatchObject({ throttleRate: null });
      await attempted(deliveryTo({ ...endpoint, url: receiver.endpoint('/moved'), rateLimit: 7 }));
      expect(svix.endpoint(APPLICATION, endpoint.id)).toMatchObject({ throttleRate: 7, channels: [endpoint.id] });
      expect(receiver.at('/moved')).toHaveLength(1);
    });

    it('is made by several processes at once, once', async () => {
      const endpoint = once();
      const transports = Array.from({ length: 4 }, () => new SvixTransport(options));
      const results = await Promise.all(transports.map((each) => each.attempt(deliveryTo(endpoint))));
      expect(results.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
      await svix.settled();
      expect(receiver.ids()).toHaveLength(4);
      expect(svix.applications.get(APPLICATION)?.endpoints.size).toBe(1);
    });

    it('is made again, when somebody has removed it at Svix', async () => {
      const endpoint = once();
      await attempted(deliveryTo(endpoint));
      svix.applications.delete(APPLICATION);
      expect(await attempted(deliveryTo(endpoint))).toMatchObject({ status: 404, verdict: 'retry' });
      expect(await attempted(deliveryTo(endpoint))).toMatchObject({ verdict: 'delivered' });
      expect(receiver.receipts).toHaveLength(2);
    });

    it('is gone when it is disabled at Svix, until it is enabled here', async () => {
      const endpoint = once();
      await attempted(deliveryTo(endpoint));
      svix.endpoint(APPLICATION, endpoint.id).disabled = true;
      expect(await attempted(deliveryTo(endpoint), new SvixTransport(options))).toMatchObject({ verdict: 'gone' });
      await service.enable(endpoint);
      const delivery = deliveryTo(endpoint);
      expect(await attempted(delivery, new SvixTransport(options))).toMatchObject({ verdict: 'delivered' });
      expect(receiver.receipts).toHaveLength(2);
    });
  });

  describe('its secrets', () => {
    const sign = async (endpoint: WebhookDelivery['endpoint']): Promise<Receipt> => {
      await attempted(deliveryTo(endpoint));
      return receiver.receipts.at(-1) as Receipt;
    };
    const replaced = (secrets: EndpointSecrets, overlapMs?: number): EndpointSecrets =>
      rotated(secrets, SigningSecret.generate(), { nowMs: Date.now(), overlapMs });

    it('W4 sign side by side after a rotation, each until its end', async () => {
      const endpoint = once();
      await sign(endpoint);
      const second = replaced(endpoint.secrets, HOUR_MS);
      const third = replaced(second, 2 * HOUR_MS);
      const receipt = await sign({ ...endpoint, secrets: third });
      for (const { active } of [endpoint.secrets, second, third]) expect(verifies(receipt, active)).toBe(true);
      const ends = svix
        .endpoint(APPLICATION, endpoint.id)
        .keys.map(({ endsAtMs }) => (endsAtMs - Date.now()) / HOUR_MS);
      expect(ends.map((hours) => Math.round(hours))).toEqual([Infinity, 2, 1]);
    });

    it('W4 are all there for an endpoint that Svix meets after a rotation', async () => {
      const endpoint = once(replaced(fresh(), HOUR_MS));
      const receipt = await sign(endpoint);
      expect(verifies(receipt, endpoint.secrets.active)).toBe(true);
      expect(verifies(receipt, endpoint.secrets.retiring[0]?.secret as SigningSecret)).toBe(true);
    });

    it('W4 sign nothing more at once, when they became known to others', async () => {
      receiver.endpoint('/hook', answer(500), answer(204));
      const endpoint = once();
      await sign(endpoint);
      const secrets = replaced(endpoint.secrets, 0);
      await service.setSecrets({ ...endpoint, secrets });
      // Svix tries the messages that it has on its own.
      await service.recover(endpoint, new Date(0));
      await svix.settled();
      const receipt = receiver.receipts.at(-1) as Receipt;
      expect(verifies(receipt, endpoint.secrets.active)).toBe(false);
      expect(verifies(receipt, secrets.active)).toBe(true);
    });
  });

  describe('a Svix server that fails', () => {
    it.each([
      ['429', { status: 429, headers: { 'retry-after': '7' } }, { status: 429, retryAfterMs: 7_000 }],
      ['503', { status: 503, headers: { 'retry-after': '9' } }, { status: 503, retryAfterMs: 9_000 }],
      ['500', { status: 500, body: 'no \0 json' }, { status: 500, responseText: 'no \ufffd json' }],
      ['401', { status: 401, body: { code: 'authentication_failed' } }, { status: 401 }],
      ['422', { status: 422, body: { detail: 'url' } }, { status: 422, responseText: '{"detail":"url"}' }],
      ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1/' } }, { status: 302 }],
      ['410, which is about no endpoint', { status: 410 }, { status: 410, failure: 'invalid-response' }],
      ['a page of HTML', { status: 200, body: '<html>' }, { status: null, failure: 'invalid-response' }],
      ['JSON that is no object', { status: 200, body: '7' }, { status: null, failure: 'invalid-response' }],
      ['a reset', 'reset' as const, { status: null, failure: 'reset' }],
    ])('is tried again on our schedule after %s', async (_name, fault, expected) => {
      const delivery = deliveryTo(once());
      svix.failNext(/POST .*\/endpoint$/, fault);
      expect(await attempted(delivery)).toMatchObject({ ...expected, verdict: 'retry' });
      expect(await attempted(delivery)).toMatchObject({ verdict: 'delivered' });
      expect(receiver.ids()).toHaveLength(1);
    });

    it.each([
      ['an empty secret', /GET .*\/secret$/, { status: 200 }],
      ['a secret that is no text', /GET .*\/secret$/, { status: 200, body: { key: 7 } }],
      ['an empty message', /POST .*\/msg$/, { status: 204 }],
      ['an answer that is no message', /POST .*\/msg$/, { status: 200, body: { ok: true } }],
    ])('has not got a message after %s', async (_name, call, fault) => {
      const delivery = deliveryTo(once());
      svix.failNext(call, fault);
      expect(await attempted(delivery)).toMatchObject({ failure: 'invalid-response', verdict: 'retry' });
      expect(receiver.receipts).toEqual([]);
      expect(await attempted(delivery)).toMatchObject({ verdict: 'delivered' });
    });

    it('W10 has 15 s for all calls of an attempt together', async () => {
      let nowMs = 0;
      const slow = new SvixTransport({ ...options, monotonicMs: () => (nowMs += 6_000) });
      expect(await attempted(deliveryTo(once()), slow)).toMatchObject({ failure: 'timeout', verdict: 'retry' });
      expect(svix.calls.length).toBeLessThan(4);
    });

    it('is let go of when the process ends, which is no attempt', async () => {
      const result = await transport.attempt(deliveryTo(once()), AbortSignal.abort());
      expect(classifyAttempt(result).kind).toBe('interrupted');
    });

    it('is no reason against a receiver, when we may not go there', async () => {
      const strict = new GuardedEgress({ allow: receiver.egressAllow });
      const result = await attempted(deliveryTo(once()), new SvixTransport({ ...options, egress: strict }));
      await strict.close();
      expect(result).toMatchObject({ failure: 'connect', verdict: 'retry' });
    });

    it('is unavailable to those who ask for attempts, and its token is in no error', async () => {
      svix.failNext(/GET .*attempt/, { status: 500, body: `Bearer ${svix.token}` });
      const error: unknown = await service.attempts(APPLICATION, 'msg_1').catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'ProviderUnavailable', cause: { detail: 'Bearer [token]' } });
      expect(inspect(error, { depth: 10 })).not.toContain(svix.token);
    });
  });

  describe('what Svix did', () => {
    const attempt = { timestamp: '2026-11-30T09:00:00Z', responseDurationMs: 7, responseStatusCode: 200, response: '' };

    it.each([
      ['no list', /\/attempt\/msg\//, {}],
      ['a list of nothing', /\/attempt\/msg\//, { data: [null] }],
      ['attempts that are no list', /\/attempt\/msg\//, { data: 'none' }],
      ['a time that there is not', /\/attempt\/msg\//, { data: [{ ...attempt, timestamp: '2026-13-45' }] }],
      ['a status that is no number', /\/attempt\/msg\//, { data: [{ ...attempt, responseStatusCode: '200' }] }],
      ['half a millisecond', /\/attempt\/msg\//, { data: [{ ...attempt, responseDurationMs: 0.5 }] }],
      ['an answer that is no text', /\/attempt\/msg\//, { data: [{ ...attempt, response: {} }] }],
      ['destinations without a list', /\/msg\/[^/]+\/endpoint$/, { data: null }],
      ['a next attempt at no time', /\/msg\/[^/]+\/endpoint$/, { data: [{ nextAttempt: 'soon' }] }],
    ])('is unavailable when it lists %s', async (_name, call, body) => {
      const delivery = deliveryTo(once());
      await attempted(delivery);
      svix.failNext(call, { status: 200, body });
      await expect(service.attempts(APPLICATION, delivery.message.id)).rejects.toMatchObject({
        code: 'ProviderUnavailable',
      });
      expect(await service.attempts(APPLICATION, delivery.message.id)).toHaveLength(1);
    });

    it('is listed as attempts: by the schedule from 1, by hand from -1 downwards', async () => {
      receiver.endpoint('/hook', answer(500, 'down'), answer(200, 'ok'));
      const delivery = deliveryTo(once());
      await attempted(delivery);
      const [first] = (await service.attempts(APPLICATION, delivery.message.id)) ?? [];
      expect(first).toEqual({
        ...{ number: 1, status: 500, failure: null, responseText: 'down' },
        ...{ startedAt: expect.any(Date), durationMs: expect.any(Number), nextAttemptAt: expect.any(Date) },
      });
      await attempted({ ...delivery, isByHand: true });
      const attempts = await service.attempts(APPLICATION, delivery.message.id);
      expect(attempts).toEqual([
        expect.objectContaining({ number: 1, nextAttemptAt: null }),
        expect.objectContaining({ number: -1, status: 200, responseText: 'ok', nextAttemptAt: null }),
      ]);
    });

    it('is nothing that it could say about a message that it never got', async () => {
      expect(await service.attempts(APPLICATION, 'msg_unknown')).toBeNull();
      await attempted(deliveryTo(once()));
      expect(await service.attempts(APPLICATION, 'msg_unknown')).toBeNull();
    });

    it('is done again since a time, when it failed', async () => {
      receiver.endpoint('/hook', answer(500), answer(204));
      const endpoint = once();
      const since = new Date();
      const delivery = deliveryTo(endpoint);
      await attempted(delivery);
      await service.recover(endpoint, since);
      await svix.settled();
      expect(receiver.receipts).toHaveLength(2);
      expect((await service.attempts(APPLICATION, delivery.message.id))?.at(-1)).toMatchObject({ status: 204 });
    });

    it('W13 ends with the endpoint; one that Svix does not know is no error', async () => {
      const endpoint = once();
      for (const change of [
        () => service.remove(endpoint),
        () => service.enable(endpoint),
        () => service.setRateLimit(endpoint, 3),
        () => service.setSecrets(endpoint),
        () => service.recover(endpoint, new Date()),
      ]) {
        expect(await change()).toBeUndefined();
      }
      await attempted(deliveryTo(endpoint));
      await service.setRateLimit(endpoint, 3);
      expect(svix.endpoint(APPLICATION, endpoint.id).throttleRate).toBe(3);
      await service.remove(endpoint);
      expect(svix.applications.get(APPLICATION)?.endpoints.size).toBe(0);
    });
  });
});
