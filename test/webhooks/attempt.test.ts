import { randomUUIDv7 } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'svix';
import { DEFAULT_LIMITS, GuardedEgress, type GuardedEgressOptions } from '#egress';
import {
  calendarMessage,
  rotated,
  SigningSecret,
  classifyAttempt,
  WebhookSender,
  type AttemptResult,
  type EndpointSecrets,
  type WebhookDelivery,
} from '#webhooks';
import { selfSigned } from '../support/certificate.js';
import { FaultServer, type Fault } from '../support/fault-server.js';
import * as faults from '../support/faults.js';

const KIB = 1024;
const secrets: EndpointSecrets = { active: SigningSecret.generate(), retiring: [] };

const message = calendarMessage(randomUUIDv7(), {
  eventType: 'calendar.event.changed',
  changeDetectedAt: new Date(),
  endUserAccountId: 'account',
  calendarId: 'calendar',
  webhookSubscriptionId: 'subscription',
  providerType: 'GOOGLE',
});

describe('an attempt to deliver a message', () => {
  let server: FaultServer;
  const open: { close(): Promise<void> }[] = [];

  function egressTo(port: number, options: GuardedEgressOptions = {}): GuardedEgress {
    const egress = new GuardedEgress({ allow: `127.0.0.1:${port}`, ...options });
    open.unshift(egress);
    return egress;
  }

  function senderTo(port: number, timeoutMs?: number): WebhookSender {
    return new WebhookSender(egressTo(port), { timeoutMs, nowMs: Date.now });
  }

  function delivery(url: string, endpoint: Partial<WebhookDelivery['endpoint']> = {}): WebhookDelivery {
    return {
      message,
      endpoint: { id: 'endpoint', applicationId: 'application', url, rateLimit: null, secrets, ...endpoint },
      identity: { webhookSubscriptionId: 'subscription', endUserAccountId: 'account', calendarId: 'calendar' },
      isByHand: false,
    };
  }

  /** What an attempt at a receiver that does `fault` comes to, with its verdict. */
  async function attempted(fault: Fault, timeoutMs?: number): Promise<AttemptResult & { verdict: string }> {
    server.route('/hook', fault);
    const result = await senderTo(server.port, timeoutMs).attempt(delivery(`${server.origin}/hook`));
    return { ...result, verdict: classifyAttempt(result).kind };
  }

  async function noConnectionIsLeft(): Promise<void> {
    while (server.openConnections > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  beforeEach(async () => {
    server = await FaultServer.start();
    open.push(server);
  });

  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  it('W1 W16 sends the stored bytes, signed, with who it is about, so that receivers verify it', async () => {
    const got: Buffer[] = [];
    server.route('/hook', (request, response) => {
      request.on('data', (chunk: Buffer) => got.push(chunk)).on('end', () => response.end('thanks'));
    });
    const before = Date.now();
    const result = await senderTo(server.port).attempt(delivery(`${server.origin}/hook?a=b`));
    const [request] = server.requests;
    const received = Buffer.concat(got);
    expect(received.equals(message.body)).toBe(true);
    expect([request?.method, request?.url]).toEqual(['POST', '/hook?a=b']);
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(message.body.length),
      'user-agent': 'unified-calendar-webhooks',
      'webhook-id': message.id,
      'x-webhook-subscription-id': 'subscription',
      'x-end-user-account-id': 'account',
      'x-calendar-id': 'calendar',
    });
    const headers = request?.headers as Record<string, string>;
    expect(() => new Webhook(secrets.active.reveal()).verify(received, headers)).not.toThrow();
    expect(result).toEqual({
      startedAt: expect.any(Date),
      durationMs: expect.any(Number),
      status: 200,
      failure: null,
      responseText: 'thanks',
      retryAfterMs: null,
    });
    expect(result.startedAt.getTime()).toBeGreaterThanOrEqual(before);
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(result.startedAt.getTime() / 1_000)));
    expect(Number.isInteger(result.durationMs)).toBe(true);
  });

  it('W2 W4 signs each attempt at its own time, with the secrets in force at that time', async () => {
    server.route('/hook', faults.answer(500));
    const startMs = Date.UTC(2026, 10, 21);
    const rotatedSecrets = rotated(secrets, SigningSecret.generate(), { nowMs: startMs, overlapMs: 3_600_000 });
    for (const nowMs of [startMs, startMs + 75 * 3_600_000]) {
      const sender = new WebhookSender(egressTo(server.port), { nowMs: () => nowMs });
      await sender.attempt(delivery(`${server.origin}/hook`, { secrets: rotatedSecrets }));
    }
    const sent = server.requests.map(({ headers }) => headers as Record<string, string>);
    expect(sent.map((headers) => headers['webhook-id'])).toEqual([message.id, message.id]);
    expect(sent.map((headers) => Number(headers['webhook-timestamp']) * 1_000 - startMs)).toEqual([0, 75 * 3_600_000]);
    expect(sent.map((headers) => headers['webhook-signature']?.split(' ').length)).toEqual([2, 1]);
  });

  it('F34 tells durations by a clock that nobody sets', async () => {
    server.route('/hook', faults.answer(204));
    const [wall, monotonic] = [
      [Date.UTC(2026, 10, 21), 0],
      [10, 35.4],
    ];
    const sender = new WebhookSender(egressTo(server.port), {
      nowMs: () => wall.shift() ?? 0,
      monotonicMs: () => monotonic.shift() ?? 0,
    });
    expect((await sender.attempt(delivery(`${server.origin}/hook`))).durationMs).toBe(25);
  });

  type Expected = Partial<AttemptResult> & { verdict: string };
  const continued = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  const early = continued.replace('100 Continue', '103 Early Hints\r\nlink: </a>');

  it.each<[string, Fault, Expected]>([
    ['204', faults.answer(204), { status: 204, failure: null, responseText: '', verdict: 'delivered' }],
    ['410', faults.answer(410, 'bye'), { status: 410, failure: null, responseText: 'bye', verdict: 'gone' }],
    ['500', faults.answer(500, 'oops'), { status: 500, failure: null, responseText: 'oops', verdict: 'retry' }],
    ['429', faults.answer(429, '', { 'retry-after': '120' }), { retryAfterMs: 120_000, verdict: 'retry' }],
    ['503', faults.answer(503, '', { 'retry-after': '9'.repeat(99) }), { retryAfterMs: 86_400_000, verdict: 'retry' }],
    ['a hint that is none', faults.answer(503, '', { 'retry-after': '-5' }), { retryAfterMs: null, verdict: 'retry' }],
    ['RST before an answer', faults.reset('before-response'), { status: null, failure: 'reset', verdict: 'retry' }],
    ['RST in its answer', faults.reset('in-body'), { status: 200, failure: 'reset', verdict: 'retry' }],
    [
      'an answer shorter than it says',
      faults.wrongContentLength(100, 'short'),
      { status: 200, failure: 'reset', responseText: 'short', verdict: 'retry' },
    ],
    ['early hints', faults.raw(early), { status: 200, failure: null, responseText: 'ok', verdict: 'delivered' }],
    [
      'something else than HTTP',
      faults.raw('SSH-2.0-x\r\n'),
      { status: null, failure: 'invalid-response', verdict: 'retry' },
    ],
    ['a flood of headers', faults.hugeHeaders(99 * KIB), { status: null, failure: 'too-large', verdict: 'retry' }],
    [
      'an answer that no terminal should show',
      faults.answer(200, Buffer.from([0x00, 0x1b, 0xff, 0x61])),
      { responseText: '\ufffd\ufffd\ufffda', verdict: 'delivered' },
    ],
    [
      'a compressed answer that nobody asked for',
      faults.answer(200, gzipSync('ok'), { 'content-encoding': 'gzip' }),
      { status: 200, responseText: 'ok', verdict: 'delivered' },
    ],
    [
      'a coding that we do not know',
      faults.answer(200, 'ok', { 'content-encoding': 'lzma' }),
      { status: null, failure: 'invalid-response', verdict: 'retry' },
    ],
    [
      'a long answer',
      faults.answer(200, 'é'.repeat(600)),
      { status: 200, responseText: 'é'.repeat(512), verdict: 'delivered' },
    ],
  ])('F36 is a result when the receiver gives %s', async (_name, fault, expected) => {
    expect(await attempted(fault)).toMatchObject(expected);
    expect(server.requests).toHaveLength(1);
  });

  it('F36 takes 100 Continue, which was not asked for, for a failure', async () => {
    expect(await attempted(faults.raw(continued))).toMatchObject({ status: null, verdict: 'retry' });
    await noConnectionIsLeft();
  });

  it.each([301, 302, 303, 307, 308] as const)('W7 N25 does not follow %i: its target gets nothing', async (status) => {
    const target = await FaultServer.start();
    open.push(target);
    const result = await attempted(faults.redirect(`${target.origin}/secret`, status));
    expect(result).toMatchObject({ status, failure: null, responseText: 'moved', verdict: 'retry' });
    expect([target.connectionCount, server.requests.length]).toEqual([0, 1]);
  });

  it.each<[string, Fault, Expected]>([
    ['says nothing', faults.silence(), { status: null, responseText: '', verdict: 'retry' }],
    ['drips its headers', faults.dripHeaders(10), { status: null, responseText: '', verdict: 'retry' }],
    [
      'drips its answer',
      faults.drip(10),
      { status: 200, responseText: expect.stringMatching(/^x*$/), verdict: 'retry' },
    ],
  ])('W10 ends at its wall clock when the receiver %s', async (_name, fault, expected) => {
    const result = await attempted(fault, 300);
    expect(result).toMatchObject({ failure: 'timeout', ...expected });
    expect(result.durationMs).toBeGreaterThanOrEqual(200);
    await noConnectionIsLeft();
  });

  it.each<[string, Fault]>([
    ['without end', faults.endlessBody()],
    ['of a gigabyte, as it announces', faults.endlessBody({ 'content-length': String(KIB ** 3) })],
    ['that expands a thousandfold', faults.gzipBomb(10_240)],
  ])('W10 reads 64 KiB of an answer %s, keeps the first of them, and closes the connection', async (_name, fault) => {
    const result = await attempted(fault);
    expect(result).toMatchObject({ status: 200, failure: null, verdict: 'delivered' });
    expect(Buffer.byteLength(result.responseText)).toBeLessThanOrEqual(KIB);
    expect(result.responseText.length).toBeGreaterThan(300);
    await noConnectionIsLeft();
  });

  it('W10 gives up connecting at that limit of the egress, 5 s', async () => {
    expect(DEFAULT_LIMITS.connectMs).toBe(5_000);
    const egress = new GuardedEgress({ limits: { connectMs: 50 }, resolver: { lookup: () => new Promise(() => {}) } });
    open.unshift(egress);
    const sender = new WebhookSender(egress, { nowMs: Date.now });
    const result = await sender.attempt(delivery('https://hooks.example.com/'));
    expect(result).toMatchObject({ status: null, failure: 'timeout' });
  });

  it('W7 is a result when nobody listens', async () => {
    const { port, origin } = server;
    await server.close();
    const result = await senderTo(port).attempt(delivery(`${origin}/hook`));
    server = await FaultServer.start();
    open.splice(0, open.length, server);
    expect(result).toMatchObject({ status: null, failure: 'connect', responseText: '' });
  });

  it.each([
    ['address-blocked', 'https://hooks.example.com/', ['10.0.0.1']],
    ['address-blocked', 'https://169.254.169.254/', []],
    ['bad-url', 'http://hooks.example.com/', ['198.51.99.1']],
    ['bad-url', 'https://user:secret@hooks.example.com/', ['198.51.99.1']],
    ['dns', 'https://hooks.example.com/', []],
  ])('W7 names %s for %s, and nothing is sent', async (failure, url, addresses) => {
    const egress = new GuardedEgress({ resolver: { lookup: async () => addresses } });
    open.unshift(egress);
    const result = await new WebhookSender(egress, { nowMs: Date.now }).attempt(delivery(url));
    expect(result).toMatchObject({ status: null, failure, responseText: '', retryAfterMs: null });
  });

  it('is broken off by its signal, and by the end of the process', async () => {
    server.route('/hook', faults.silence());
    const egress = egressTo(server.port);
    const sender = new WebhookSender(egress, { nowMs: Date.now });
    const cancelled = new AbortController();
    const first = sender.attempt(delivery(`${server.origin}/hook`), cancelled.signal);
    const second = sender.attempt(delivery(`${server.origin}/hook`));
    while (server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    cancelled.abort();
    expect(classifyAttempt(await first)).toEqual({ kind: 'interrupted' });
    await egress.close();
    expect(classifyAttempt(await second)).toEqual({ kind: 'interrupted' });
  });

  it('does not take a fault of our own for the receiver’s', async () => {
    const unsigned = delivery(`${server.origin}/hook`);
    unsigned.message = { ...message, id: 'msg_a.b' };
    await expect(senderTo(server.port).attempt(unsigned)).rejects.toThrow(TypeError);
    expect(server.connectionCount).toBe(0);
  });

  it('never lends the connection of one endpoint to another of the same server', async () => {
    server.route('/hook', faults.answer(200, 'ok'));
    const sender = senderTo(server.port);
    for (const endpointId of ['a', 'b', 'a', 'b']) {
      await sender.attempt(delivery(`${server.origin}/hook`, { id: endpointId }));
    }
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2, 1, 2]);
  });

  it('W10 leaves no more connections than a pool has after 1,000 deliveries, of which most went wrong', async () => {
    const kinds = [
      faults.answer(200, 'ok'),
      faults.answer(500),
      faults.reset('in-body'),
      faults.endlessBody(),
    ] as const;
    for (const [index, fault] of kinds.entries()) server.route(`/${index}`, fault);
    const sender = senderTo(server.port, 60_000);
    const verdicts: string[] = [];
    let left = 1_000;
    const deliverSome = async () => {
      while (left > 0) {
        left -= 1;
        verdicts.push(classifyAttempt(await sender.attempt(delivery(`${server.origin}/${left % kinds.length}`))).kind);
      }
    };
    await Promise.all(Array.from({ length: 32 }, deliverSome));
    expect(verdicts.toSorted()).toEqual([...Array(500).fill('delivered'), ...Array(500).fill('retry')]);
    while (server.openConnections > 8) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  describe('over TLS', () => {
    const authorities = getCACertificates('default');
    const names = ['hooks.example.com'];
    const valid = selfSigned(names);
    const expired = selfSigned(names, Date.now() - 3 * 86_400_000);
    const resolver = { lookup: async () => ['127.0.0.1'] };

    beforeAll(() => setDefaultCACertificates([...authorities, valid.cert, expired.cert]));
    afterAll(() => setDefaultCACertificates(authorities));

    it.each([
      ['delivers to a valid certificate', 'hooks.example.com', valid, { status: 200, failure: null }, 1],
      ['refuses an expired one', 'hooks.example.com', expired, { status: null, failure: 'tls' }, 0],
      ['refuses one of another name', 'other.example.com', valid, { status: null, failure: 'tls' }, 0],
    ])('F36 %s', async (_name, host, tls, expected, requests) => {
      const receiver = await FaultServer.start({ tls });
      open.push(receiver);
      receiver.route('/hook', faults.answer(200, 'ok'));
      const sender = new WebhookSender(egressTo(receiver.port, { resolver }), { nowMs: Date.now });
      expect(await sender.attempt(delivery(`https://${host}:${receiver.port}/hook`))).toMatchObject(expected);
      expect(receiver.requests).toHaveLength(requests);
    });
  });
});
