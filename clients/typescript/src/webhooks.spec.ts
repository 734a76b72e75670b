import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { verifyWebhook, WebhookVerificationError, type Delivery } from './webhooks.js';

// The vector that the Standard Webhooks libraries are tested with.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER_SECRET = `whsec_${Buffer.from('another key of 24 bytes!').toString('base64')}`;
const VECTOR = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: '1614265330',
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const NOW_MS = Number(VECTOR.timestamp) * 1_000;

function delivery(changes: Partial<Delivery> = {}, headers: Record<string, string> = {}): Delivery {
  return {
    body: VECTOR.body,
    headers: {
      'webhook-id': VECTOR.id,
      'webhook-timestamp': VECTOR.timestamp,
      'webhook-signature': VECTOR.signature,
      ...headers,
    },
    secret: SECRET,
    nowMs: NOW_MS,
    ...changes,
  };
}

const isRefused = (made: Delivery) => expect(verifyWebhook(made)).rejects.toBeInstanceOf(WebhookVerificationError);

describe('verifyWebhook', () => {
  it('takes the published vector, and says what it says', async () => {
    expect(await verifyWebhook(delivery())).toEqual({
      ...{ id: VECTOR.id, sentAt: new Date(NOW_MS), body: { test: 2432232314 } },
    });
  });

  it.each([
    ['bytes', { body: new TextEncoder().encode(VECTOR.body) }],
    ['a part of a larger buffer', { body: Buffer.from(`x${VECTOR.body}x`).subarray(1, -1) }],
    ['an ArrayBuffer', { body: new TextEncoder().encode(VECTOR.body).buffer }],
    ['Headers', { headers: new Headers(delivery().headers as Record<string, string>) }],
    ['a secret without its prefix', { secret: SECRET.slice('whsec_'.length) }],
    ['several secrets, the right one last', { secret: [OTHER_SECRET, SECRET] }],
  ])('takes %s', async (_what, changes) => {
    expect((await verifyWebhook(delivery(changes))).id).toBe(VECTOR.id);
  });

  it('takes headers however they are written, and in lists', async () => {
    const headers = {
      'Webhook-Id': [VECTOR.id],
      'WEBHOOK-TIMESTAMP': VECTOR.timestamp,
      'Webhook-Signature': VECTOR.signature,
      host: undefined,
    };
    expect((await verifyWebhook(delivery({ headers }))).id).toBe(VECTOR.id);
  });

  it('takes the names that a Svix server uses', async () => {
    const headers = { 'svix-id': VECTOR.id, 'svix-timestamp': VECTOR.timestamp, 'svix-signature': VECTOR.signature };
    expect((await verifyWebhook(delivery({ headers }))).id).toBe(VECTOR.id);
  });

  it('takes one signature of several, and passes over what it does not know', async () => {
    const signature = `v1a,xyz v1,*** v1,${'A'.repeat(43)}= ${VECTOR.signature}`;
    expect((await verifyWebhook(delivery({}, { 'webhook-signature': signature }))).id).toBe(VECTOR.id);
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('refuses one without %s', (name) =>
    isRefused(delivery({}, { [name]: '' })),
  );

  it.each([
    ['another body', { body: `${VECTOR.body} ` }, {}],
    ['another id', {}, { 'webhook-id': 'msg_other' }],
    ['another time', {}, { 'webhook-timestamp': '1614265331' }],
    ['another secret', { secret: OTHER_SECRET }, {}],
    ['no secret at all', { secret: [] }, {}],
    ['another version', {}, { 'webhook-signature': VECTOR.signature.replace('v1,', 'v2,') }],
    ['half a signature', {}, { 'webhook-signature': VECTOR.signature.slice(0, 20) }],
    ['an empty signature', {}, { 'webhook-signature': 'v1,' }],
    ['a time that is none', {}, { 'webhook-timestamp': 'now' }],
    ['a time that was long ago', { nowMs: NOW_MS + 301_000 }, {}],
    ['a time that is to come', { nowMs: NOW_MS - 301_000 }, {}],
    ['a time beyond its own tolerance', { nowMs: NOW_MS + 11_000, toleranceSeconds: 10 }, {}],
  ])('refuses %s', (_what, changes, headers) => isRefused(delivery(changes, headers)));

  it('takes a time just within tolerance', async () => {
    expect((await verifyWebhook(delivery({ nowMs: NOW_MS + 300_000 }))).id).toBe(VECTOR.id);
  });

  it.each(['whsec_', 'whsec_not base64!'])('says that the secret "%s" is none', async (secret) => {
    const failure = expect(verifyWebhook(delivery({ secret }))).rejects;
    await failure.toThrow('The secret of the endpoint');
    await failure.not.toBeInstanceOf(WebhookVerificationError);
  });

  describe.each([
    ['svix', SvixWebhook],
    ['standardwebhooks', StandardWebhook],
  ])('and %s', (_name, Webhook) => {
    const body = '{"eventType":"calendar.event.changed","timestamp":"2026-11-21T10:00:00.000Z"}';
    const now = new Date();
    const signed = (secret: string) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
    });

    it('agree on what it signs', async () => {
      const made = await verifyWebhook({ body, headers: signed(SECRET), secret: SECRET });
      expect(made.body).toEqual(JSON.parse(body));
    });

    it('agree on what both refuse', async () => {
      const headers = signed(OTHER_SECRET);
      expect(() => new Webhook(SECRET).verify(body, headers)).toThrow();
      await isRefused({ body, headers, secret: SECRET });
    });
  });
});
