import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AttemptOutcome, ClaimedAttempt } from '#domain/webhooks';
import { recordSpans } from '#platform/testing/recorded-spans';
import { inDeliverySpan, labelOf, recordOutcome } from './delivery-telemetry.js';

const ASKED = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const ATTEMPT: ClaimedAttempt = {
  messageId: 'm',
  leaseId: 'lease',
  number: 1,
  failures: 0,
  stalledCount: 0,
  startsInMs: 0,
  traceparent: ASKED,
  eventType: 'calendar.event.changed',
  body: Buffer.from('canary'),
  endpoint: { id: 'e', applicationId: 'a', url: 'https://hooks.example.com/canary', rateLimit: null, secrets: null },
  webhookSubscriptionId: 'e',
  endUserAccountId: 'u',
  calendarId: 'canary@example.com',
};
const FAILED: AttemptOutcome = {
  durationMs: 1,
  status: 500,
  failure: null,
  responseText: 'canary',
  verdict: { kind: 'retry', inMs: 5 },
};

describe('the span of a delivery', () => {
  let recorded: ReturnType<typeof recordSpans>;
  beforeEach(() => void (recorded = recordSpans()));
  afterEach(() => recorded.stop());

  const spanOf = async (attempt: Partial<ClaimedAttempt>, outcome: AttemptOutcome = FAILED) => {
    await inDeliverySpan({ ...ATTEMPT, ...attempt }, async (span) => recordOutcome(span, outcome));
    return recorded.spans().at(-1)!;
  };

  it.each([
    ['the first attempt', 1],
    ['one by hand', -2],
  ])('goes on with the trace of who asked, for %s', async (_, number) => {
    expect(await spanOf({ number })).toMatchObject({
      kind: 'PRODUCER',
      traceId: ASKED.split('-')[1],
      parentSpanId: ASKED.split('-')[2],
      links: [],
    });
  });

  it('is linked to it, in a trace of its own, for a repeat', async () => {
    const repeat = await spanOf({ number: 2 });
    expect(repeat).toMatchObject({ parentSpanId: undefined, links: [ASKED.split('-')[2]] });
    expect(repeat.traceId).not.toBe(ASKED.split('-')[1]);
    expect(await spanOf({ number: 2, traceparent: null })).toMatchObject({ parentSpanId: undefined, links: [] });
  });

  it('tells how it ended, and nothing that is said in it', async () => {
    const { attributes, isFailed } = await spanOf({});
    expect(attributes).toEqual({
      'calendar.application.id': 'a',
      'calendar.account.id': 'u',
      'calendar.endpoint.id': 'e',
      'calendar.message.id': 'm',
      'calendar.event.type': 'calendar.event.changed',
      'calendar.attempt': 1,
      'calendar.attempt.outcome': 'retry',
      'error.type': '500',
    });
    expect(isFailed).toBe(true);
    const delivered = await spanOf(
      { endUserAccountId: null },
      { ...FAILED, status: 204, verdict: { kind: 'delivered' } },
    );
    expect(delivered).toMatchObject({ isFailed: false, attributes: { 'calendar.attempt.outcome': 'delivered' } });
    expect(delivered.attributes).not.toHaveProperty('calendar.account.id');
  });
});

const outcome = (
  kind: 'delivered' | 'gone' | 'interrupted' | 'retry' | 'failed',
  status: number | null,
  failure: string | null = null,
): AttemptOutcome => ({
  durationMs: 1,
  status,
  failure,
  responseText: '',
  verdict: { kind } as AttemptOutcome['verdict'],
});

describe('what an attempt is measured as', () => {
  it.each([
    [outcome('delivered', 204), 'delivered'],
    [outcome('gone', 410), 'gone'],
    [outcome('interrupted', null, 'aborted'), 'interrupted'],
    [outcome('retry', 404), 'client_error'],
    [outcome('failed', 429), 'client_error'],
    [outcome('retry', 500), 'server_error'],
    [outcome('retry', 301), 'redirected'],
    [outcome('retry', null, 'timeout'), 'timeout'],
    [outcome('retry', null, 'dns'), 'unreachable'],
    [outcome('retry', 200, 'reset'), 'unreachable'],
    [outcome('retry', null, 'tls'), 'unreachable'],
    [outcome('failed', null, 'address-blocked'), 'blocked'],
    [outcome('failed', null, 'bad-url'), 'blocked'],
    [outcome('retry', null, 'invalid-response'), 'server_error'],
    [outcome('retry', null, 'internal'), 'internal'],
  ])('%o: %s', (attempt, label) => {
    expect(labelOf(attempt)).toBe(label);
  });
});
