import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type {
  AttemptClaim,
  ClaimedAttempt,
  EndedAttempt,
  RecordedAttempt,
  WebhookEndpointRepository,
  WebhookMessageRepository,
} from '#domain/webhooks';
import { SigningSecret, type AttemptResult } from '#webhooks';
import { DeliveryDispatcher } from './delivery-dispatcher.js';

const ID = '0197a000-0000-7000-8000-000000000001';
const QUEUED = { id: ID, endpointId: 'endpoint' };
const ANSWER: AttemptResult = {
  startedAt: new Date(0),
  durationMs: 1,
  status: 204,
  failure: null,
  responseText: '',
  retryAfterMs: null,
};

const attempt: ClaimedAttempt = {
  messageId: ID,
  leaseId: 'lease',
  number: 1,
  failures: 0,
  stalledCount: 0,
  startsInMs: 0,
  traceparent: null,
  eventType: 'calendar.event.changed',
  body: Buffer.from('{}'),
  endpoint: {
    id: 'endpoint',
    applicationId: 'application',
    url: 'https://hooks.example.com',
    rateLimit: null,
    secrets: { active: SigningSecret.generate().reveal(), retiring: [] },
  },
  webhookSubscriptionId: 'endpoint',
  endUserAccountId: 'account',
  calendarId: 'calendar',
};

function deliveriesWith({
  claimed = { state: 'claimed', attempt },
  send = async () => ANSWER,
  recording = async () => [{ failingSince: null, hasDisabled: false }],
}: {
  claimed?: AttemptClaim;
  send?: (signal: AbortSignal | undefined) => Promise<AttemptResult>;
  recording?: () => Promise<(RecordedAttempt | null)[]>;
} = {}) {
  const recorded: EndedAttempt[] = [];
  const ports = {
    claim: jest.fn(async (ids: string[]) => ids.map(() => claimed)),
    defer: jest.fn(async () => undefined),
    extend: jest.fn(async () => undefined),
    record: async (ended: readonly EndedAttempt[]) => {
      const outcome = await recording();
      recorded.push(...ended);
      return outcome;
    },
  };
  const transport = { attempt: (_delivery: unknown, signal?: AbortSignal) => send(signal) };
  const deliveries = new DeliveryDispatcher(
    ports as unknown as WebhookMessageRepository,
    { disable: async () => false } as unknown as WebhookEndpointRepository,
    transport,
    { nowMs: () => 0 },
    { concurrency: 4, random: () => 0.5 },
  );
  const end = async (late = new AbortController().signal) => {
    deliveries.close();
    await deliveries.end(late);
  };
  return { deliveries, ports, recorded, end };
}

beforeEach(() => {
  jest.useFakeTimers();
  for (const level of ['warn', 'error'] as const) jest.spyOn(Logger.prototype, level).mockReturnValue(undefined);
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('DeliveryDispatcher', () => {
  it('puts off a message whose endpoint has no start to give yet', async () => {
    const { deliveries, ports, end } = deliveriesWith({ claimed: { state: 'later', inMs: 700 } });
    await deliveries.dispatch(QUEUED, 'first');
    expect(ports.defer).toHaveBeenCalledWith([{ messageId: ID, inMs: 700 }]);
    await end();
  });

  it('F8 takes a fault of ours for a failed attempt: the schedule bounds how often it is met', async () => {
    const send = () => Promise.reject(new TypeError('a fault'));
    const { deliveries, recorded, end } = deliveriesWith({ send });
    await deliveries.dispatch(QUEUED, 'first');
    await end();
    expect(recorded.map(({ outcome }) => outcome)).toEqual([
      expect.objectContaining({ failure: 'internal', verdict: { kind: 'retry', inMs: 5_000 } }),
    ]);
  });

  it('F8 sends nothing that it cannot sign, and comes to an end with it', async () => {
    const endpoint = { ...attempt.endpoint, secrets: null };
    const send = jest.fn(async () => ANSWER);
    const { deliveries, recorded, end } = deliveriesWith({
      claimed: { state: 'claimed', attempt: { ...attempt, failures: 7, endpoint } },
      send,
    });
    await deliveries.dispatch(QUEUED, 'repeated');
    await end();
    expect(send).not.toHaveBeenCalled();
    expect(recorded.map(({ outcome }) => outcome)).toEqual([
      expect.objectContaining({ failure: 'internal', verdict: { kind: 'failed', reason: 'exhausted' } }),
    ]);
  });

  it('leaves what kills its process to the schedule', async () => {
    const send = jest.fn(async () => ANSWER);
    const dead = { state: 'claimed', attempt: { ...attempt, stalledCount: 3 } } as const;
    const { deliveries, recorded, end } = deliveriesWith({ claimed: dead, send });
    await deliveries.dispatch(QUEUED, 'repeated');
    await end();
    expect(send).not.toHaveBeenCalled();
    expect(recorded).toMatchObject([{ outcome: { failure: 'internal', verdict: { kind: 'retry', inMs: 5_000 } } }]);
  });

  it('F16 writes down what came of an attempt when the database is back', async () => {
    let isDown = true;
    const { deliveries, recorded, end } = deliveriesWith({
      recording: async () => {
        if (isDown) throw new Error('away');
        return [null];
      },
    });
    await deliveries.dispatch(QUEUED, 'first');
    const ended = end();
    await jest.advanceTimersByTimeAsync(0);
    expect(recorded).toEqual([]);
    isDown = false;
    await ended;
    expect(recorded).toHaveLength(1);
  });

  it('F1 extends the lease of an attempt that takes long, and of no other', async () => {
    const sent = Promise.withResolvers<AttemptResult>();
    const { deliveries, ports, end } = deliveriesWith({ send: () => sent.promise });
    await deliveries.dispatch(QUEUED, 'first');
    await jest.advanceTimersByTimeAsync(6_000);
    expect(ports.extend).toHaveBeenCalledTimes(2);
    expect(ports.extend).toHaveBeenLastCalledWith([attempt], 10_000);
    sent.resolve(ANSWER);
    await jest.advanceTimersByTimeAsync(6_000);
    expect(ports.extend).toHaveBeenCalledTimes(2);
    await end();
  });

  it('F2 gives up a start that is not due yet when the process ends, and breaks off what does not end in time', async () => {
    const waiting = deliveriesWith({ claimed: { state: 'claimed', attempt: { ...attempt, startsInMs: 900 } } });
    await waiting.deliveries.dispatch(QUEUED, 'first');
    await waiting.end();
    const hanging = deliveriesWith({
      send: (signal) =>
        new Promise((done) => {
          signal?.addEventListener('abort', () => done({ ...ANSWER, status: null, failure: 'aborted' }));
        }),
    });
    await hanging.deliveries.dispatch(QUEUED, 'first');
    await hanging.end(AbortSignal.abort());
    for (const { recorded } of [waiting, hanging]) {
      expect(recorded).toMatchObject([{ outcome: { failure: 'aborted', verdict: { kind: 'interrupted' } } }]);
    }
  });

  it('begins at once what a slot is free for, says what is left, and waits for it in the end', async () => {
    const begun = Promise.withResolvers<AttemptResult>();
    const { deliveries, recorded, end } = deliveriesWith({ send: () => begun.promise });
    const messages = Array.from({ length: 6 }, (_, n) => ({ id: `${ID}${n}`, endpointId: `endpoint-${n}` }));
    expect(deliveries.dispatchIfFree(messages)).toEqual(messages.slice(4));
    const ended = end();
    begun.resolve(ANSWER);
    await ended;
    expect(recorded).toHaveLength(4);
    expect(deliveries.dispatchIfFree(messages)).toEqual(messages);
  });

  it('F16 leaves to the database what it cannot begin', async () => {
    const { deliveries, ports, end } = deliveriesWith();
    ports.claim.mockRejectedValue(new Error('database away'));
    expect(deliveries.dispatchIfFree([QUEUED])).toEqual([]);
    await end();
    expect(Logger.prototype.warn).toHaveBeenCalledTimes(1);
    expect(ports.defer).not.toHaveBeenCalled();
  });

  it('claims nothing once it is closed', async () => {
    const { deliveries, ports, end } = deliveriesWith();
    deliveries.close();
    await deliveries.dispatch(QUEUED, 'repeated');
    expect(ports.claim).not.toHaveBeenCalled();
    expect(ports.defer).toHaveBeenCalledWith([{ messageId: ID, inMs: 0 }]);
    await end();
  });
});
