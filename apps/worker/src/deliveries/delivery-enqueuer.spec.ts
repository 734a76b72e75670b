import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { DeliveryDispatcher } from '#application/webhooks';
import type { DueMessage, WebhookMessageRepository } from '#domain/webhooks';
import { DeliveryEnqueuer } from './delivery-enqueuer.js';

const DUE: DueMessage[] = ['first', 'second', 'third'].map((id, index) => ({
  id,
  endpointId: 'endpoint',
  isFirst: index < 2,
}));

function fakeQueue(addBulk: () => Promise<unknown>) {
  return { on: () => undefined, getWaitingCount: async () => 0, addBulk } as unknown as Queue;
}

function enqueuerOf(
  messages: object,
  first: Queue,
  repeated: Queue,
  dispatchIfFree: DeliveryDispatcher['dispatchIfFree'] = (all) => [...all],
) {
  return new DeliveryEnqueuer(
    messages as WebhookMessageRepository,
    { dispatchIfFree } as unknown as DeliveryDispatcher,
    first,
    repeated,
  );
}

describe('the feeder of deliveries', () => {
  beforeEach(() => void jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined));
  afterEach(() => void jest.restoreAllMocks());

  it('F11 F14 gives back what a queue refused, and no more than that', async () => {
    const given = Promise.withResolvers<unknown>();
    const defer = async (waits: unknown) => given.resolve(waits);
    let due = DUE;
    const claimForQueue = async () => {
      const taken = due;
      due = [];
      return taken;
    };
    const refusing = fakeQueue(() =>
      Promise.reject(new Error("READONLY You can't write against a read only replica.")),
    );
    const taking = fakeQueue(async () => undefined);
    const enqueuer = enqueuerOf({ claimForQueue, defer }, refusing, taking);
    enqueuer.onApplicationBootstrap();
    try {
      expect(await given.promise).toEqual([
        { messageId: 'first', inMs: 2_000 },
        { messageId: 'second', inMs: 2_000 },
      ]);
    } finally {
      await enqueuer.stop();
    }
  });

  it('puts new messages into a queue only when they cannot begin at once', async () => {
    const looked = jest.fn(async () => []);
    const queue = fakeQueue(async () => undefined);
    const free = new Set(['first', 'second']);
    const enqueuer = enqueuerOf({ claimForQueue: looked }, queue, queue, (all) =>
      all.filter(({ id }) => !free.has(id)),
    );
    enqueuer.onApplicationBootstrap();
    try {
      await new Promise(setImmediate);
      enqueuer.onNewMessages(DUE.slice(0, 2));
      await new Promise(setImmediate);
      expect(looked).toHaveBeenCalledTimes(1);
      enqueuer.onNewMessages(DUE);
      await new Promise(setImmediate);
      expect(looked).toHaveBeenCalledTimes(2);
    } finally {
      await enqueuer.stop();
    }
  });
});
