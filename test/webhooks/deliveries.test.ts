// 60 s: all of it on PostgreSQL and on Redis; rates per second are seen over seconds.
import { getQueueToken } from '@nestjs/bullmq';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Queue } from 'bullmq';
import { WebhookMessageRepository, type StoredWebhookMessage, type WebhookEndpoint } from '#domain/webhooks';
import { messageIdOf } from '#webhooks';
import { backlog } from '../persistence/webhook-fixture.js';
import { openDeliveryFixture, type DeliveryFixture } from '../support/deliveries.js';
import { answer, redirect, silence } from '../support/faults.js';
import { eventually } from '../support/processes.js';
import { verified } from '../support/webhook-receiver.js';

const operatorIsNotified = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);

describe.each(['PostgreSQL', 'Redis'] as const)('deliveries with their queues on %s', (store) => {
  let fixture: DeliveryFixture;
  let paths = 0;
  const nextPath = () => `/hook/${(paths += 1)}`;

  beforeAll(async () => {
    fixture = await openDeliveryFixture(store);
  });
  afterEach(async () => {
    // A worker that runs on may hold rows in another order: PostgreSQL ends one of the two.
    await eventually('no message is left', async () => {
      await fixture.persistence.admin('delete from webhook_message');
      return true;
    });
    operatorIsNotified.mockClear();
  });
  afterAll(() => fixture.close());

  const messagesOf = ({ id, applicationId }: WebhookEndpoint): Promise<StoredWebhookMessage[]> =>
    fixture.persistence.messages.list({ applicationId }, id, { limit: 1_000, after: null, state: null });

  /** The one message of an endpoint, when it is as `expected`. */
  const theMessage = (endpoint: WebhookEndpoint, isIt: (message: StoredWebhookMessage) => boolean) =>
    eventually('the message', async () => (await messagesOf(endpoint)).find(isIt));

  const attemptsOf = ({ applicationId }: WebhookEndpoint, messageId: string) =>
    fixture.persistence.messages.attempts({ applicationId }, messageId);

  const left = async () =>
    (
      await fixture.persistence.admin<{ n: number }>(
        "select count(*)::int as n from webhook_message where state = 'pending'",
      )
    )[0]?.n;

  const allDone = () => eventually('all are done', async () => ((await left()) === 0 ? true : undefined));

  describe('by one worker', () => {
    let stop: () => Promise<void>;
    let queueOf: (name: string) => Queue;
    beforeAll(async () => {
      const worker = await fixture.startWorker();
      stop = () => worker.stop(0);
      queueOf = (name) => worker.module.get<Queue>(getQueueToken(name));
    });
    afterAll(() => stop());

    it('W9 W10 W14 arrive once each, signed, are logged, and leave no more connections than a pool has', async () => {
      const path = nextPath();
      const endpoint = await fixture.newEndpoint(fixture.receiver.endpoint(path));
      const ids = await backlog(fixture.persistence, endpoint, 300);
      await allDone();
      const receipts = fixture.receiver.at(path);
      expect(receipts.map(({ id }) => id).toSorted()).toEqual(ids.map(messageIdOf).toSorted());
      for (const receipt of receipts) expect(verified(receipt, fixture.secret)).toEqual({});
      expect(receipts[0]?.headers).toMatchObject({ 'x-webhook-subscription-id': endpoint.id });
      expect(await attemptsOf(endpoint, ids[7] as string)).toMatchObject([{ number: 1, status: 204, failure: null }]);
      expect(fixture.receiver.openConnections).toBeLessThanOrEqual(8);
    });

    it('W2 W5 are tried again by the schedule, with the same id and a signature of their own time', async () => {
      const path = nextPath();
      const endpoint = await fixture.newEndpoint(fixture.receiver.endpoint(path, answer(500, 'no'), answer(204)));
      const [id] = (await backlog(fixture.persistence, endpoint, 1)) as [string];
      const waiting = await theMessage(endpoint, () => fixture.receiver.at(path).length === 1);
      const [tried] = await eventually('the log', async () => {
        const attempts = await attemptsOf(endpoint, id);
        return attempts[0]?.status === 500 ? attempts : undefined;
      });
      const inMs = Number(tried?.nextAttemptAt) - Number(tried?.startedAt);
      expect(inMs).toBeGreaterThanOrEqual(4_000);
      expect(tried).toMatchObject({ number: 1, responseText: 'no' });
      expect(waiting.state).toBe('pending');
      await fixture.passTime();
      await allDone();
      const [first, second] = fixture.receiver.at(path);
      expect([first?.id, second?.id]).toEqual([messageIdOf(id), messageIdOf(id)]);
      expect(second?.body).toEqual(first?.body);
      for (const receipt of fixture.receiver.at(path)) {
        verified(receipt, fixture.secret);
        expect(Math.abs(Number(receipt.headers['webhook-timestamp']) * 1_000 - receipt.atMs)).toBeLessThan(5_000);
      }
      expect((await attemptsOf(endpoint, id)).map(({ number, status }) => [number, status])).toEqual([
        [1, 500],
        [2, 204],
      ]);
    });

    it('W6 wait for as long as a receiver asks', async () => {
      const endpoint = await fixture.newEndpoint(
        fixture.receiver.endpoint(nextPath(), answer(429, '', { 'retry-after': '3600' })),
      );
      await backlog(fixture.persistence, endpoint, 1);
      const message = await theMessage(endpoint, ({ nextAttemptAt }) => Number(nextAttemptAt) > Date.now() + 3_000_000);
      expect(message.state).toBe('pending');
    });

    it('W5 are given up after the last attempt', async () => {
      const endpoint = await fixture.newEndpoint(fixture.receiver.endpoint(nextPath(), answer(500)));
      // A worker may try the message at once: it has these failures from the beginning.
      await backlog(fixture.persistence, endpoint, 1, 7);
      const message = await theMessage(endpoint, ({ state }) => state === 'failed');
      expect(message.failureReason).toBe('exhausted');
    });

    it('W7 do not follow redirects, and are not tried at addresses that are not allowed', async () => {
      const [target, path] = [nextPath(), nextPath()];
      const secret = fixture.receiver.endpoint(target);
      const moved = await fixture.newEndpoint(fixture.receiver.endpoint(path, redirect(secret)));
      const inside = await fixture.newEndpoint('https://10.0.0.1/hook');
      await backlog(fixture.persistence, moved, 1);
      const [rejected] = (await backlog(fixture.persistence, inside, 1)) as [string];
      const message = await theMessage(inside, ({ state }) => state === 'failed');
      expect(message.failureReason).toBe('address-blocked');
      expect(await attemptsOf(inside, rejected)).toMatchObject([{ number: 1, failure: 'address-blocked' }]);
      await theMessage(moved, ({ nextAttemptAt }) => Number(nextAttemptAt) > Date.now());
      expect(fixture.receiver.at(target)).toEqual([]);
    });

    it('W7 W12 end with 410: the endpoint is disabled at once, and the operator told, once', async () => {
      const path = nextPath();
      const endpoint = await fixture.newEndpoint(fixture.receiver.endpoint(path, answer(410)));
      await backlog(fixture.persistence, endpoint, 40);
      await fixture.receiver.receives(1, path);
      await eventually('disabled', async () =>
        (await fixture.persistence.endpoints.get(endpoint, endpoint.id)).disabledAt === null ? undefined : true,
      );
      await fixture.passTime();
      await allDone();
      const { applicationId, id: endpointId } = endpoint;
      expect((await messagesOf(endpoint)).map(({ state }) => state)).toEqual(
        Array.from({ length: 40 }, () => 'failed'),
      );
      expect(await fixture.persistence.endpoints.get(endpoint, endpointId)).toMatchObject({ disabledReason: 'gone' });
      expect(operatorIsNotified.mock.calls).toEqual([
        [{ msg: 'webhook endpoint disabled', reason: 'gone', endpointId, applicationId }],
      ]);
    });

    it('W12 disable an endpoint that has done nothing but fail for five days; one success starts anew', async () => {
      const dead = await fixture.newEndpoint(fixture.receiver.endpoint(nextPath(), answer(500)));
      const alive = await fixture.newEndpoint(fixture.receiver.endpoint(nextPath(), answer(204)));
      await fixture.persistence.admin("update webhook_endpoint set failing_since = now() - interval '6 days'");
      for (const endpoint of [dead, alive]) await backlog(fixture.persistence, endpoint, 1);
      await eventually('disabled', async () => {
        const { disabledReason } = await fixture.persistence.endpoints.get(dead, dead.id);
        return disabledReason === 'failing' ? true : undefined;
      });
      await allDone();
      expect(await fixture.persistence.endpoints.get(alive, alive.id)).toMatchObject({
        failingSince: null,
        disabledAt: null,
      });
      expect(operatorIsNotified).toHaveBeenCalledTimes(1);
      await fixture.persistence.endpoints.enable(dead, dead.id);
      fixture.receiver.endpoint(new URL(dead.url).pathname, answer(204));
      expect(await fixture.persistence.messages.recover(dead, dead.id, new Date(0))).toBe(1);
      await theMessage(dead, ({ state }) => state === 'delivered');
    });

    it('W13 stop when the endpoint is removed, but for what was under way', async () => {
      const path = nextPath();
      const endpoint = await fixture.newEndpoint(fixture.receiver.endpoint(path));
      await backlog(fixture.persistence, endpoint, 1_000);
      await fixture.receiver.receives(20, path);
      const [account] = await fixture.persistence.admin<{ id: string }>(
        'select end_user_account_id as id from synced_calendar w join webhook_endpoint e on e.synced_calendar_id = w.id ' +
          'where e.id = $1',
        [endpoint.id],
      );
      await fixture.persistence.endpoints.remove(endpoint, endpoint.id, account?.id ?? null);
      const received = fixture.receiver.at(path).length;
      await fixture.passTime();
      await allDone();
      expect(received).toBeLessThan(1_000);
      // Claimed before, and on the way.
      expect(fixture.receiver.at(path).length - received).toBeLessThanOrEqual(12);
    });

    it('W15 go out again by hand, beside the schedule', async () => {
      const path = nextPath();
      const endpoint = await fixture.newEndpoint(fixture.receiver.endpoint(path));
      const [id] = (await backlog(fixture.persistence, endpoint, 1)) as [string];
      await allDone();
      await fixture.persistence.messages.resend(endpoint, id);
      await eventually('again', () => (fixture.receiver.at(path).length === 2 ? true : undefined));
      await eventually('logged', async () => {
        const attempts = await attemptsOf(endpoint, id);
        return attempts.at(-1)?.number === -1 && attempts.at(-1)?.status === 204 ? true : undefined;
      });
      expect(fixture.receiver.ids(path)).toEqual([messageIdOf(id)]);
    });

    it('F8 go on when somebody puts a job into the queue that nobody understands; it is kept', async () => {
      const queue = queueOf('webhook-deliveries');
      const poison = await queue.add('deliver', { messages: 'poison' });
      const path = nextPath();
      await backlog(fixture.persistence, await fixture.newEndpoint(fixture.receiver.endpoint(path)), 5);
      await fixture.receiver.receives(5, path);
      await eventually('failed', async () => ((await poison.getState()) === 'failed' ? true : undefined));
      expect((await queue.getFailed()).map(({ failedReason }) => failedReason)).toEqual(['this job takes messages']);
      expect(operatorIsNotified).toHaveBeenCalledWith(expect.objectContaining({ msg: 'deliveries failed' }));
    });

    it('F10 go on when the queue was emptied: what it held is given out again', async () => {
      const path = nextPath();
      const endpoint = await fixture.newEndpoint(fixture.receiver.endpoint(path));
      const queue = queueOf('webhook-deliveries');
      await queue.pause();
      const ids = await backlog(fixture.persistence, endpoint, 100);
      const given = () =>
        fixture.persistence.admin("select from webhook_message where enqueue_at > now() + interval '20 seconds'");
      await eventually('queued', async () => ((await given()).length === 100 ? true : undefined)).finally(async () => {
        await queue.drain();
        await queue.resume();
      });
      await fixture.persistence.admin("update webhook_message set enqueue_at = enqueue_at - interval '45 seconds'");
      await allDone();
      expect(
        fixture.receiver
          .at(path)
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(ids.map(messageIdOf).toSorted());
    });

    it('W11 do not wait for 50 endpoints that hang with long queues', async () => {
      const hanging = await Promise.all(
        Array.from({ length: 50 }, () => fixture.newEndpoint(fixture.receiver.endpoint(nextPath(), silence()))),
      );
      for (const endpoint of hanging) await backlog(fixture.persistence, endpoint, 100);
      const hangs = () => hanging.map(({ url }) => fixture.receiver.at(new URL(url).pathname).length);
      await eventually(
        'all hang',
        async () => {
          if (hangs().every((count) => count > 0)) return true;
          const messages = await fixture.persistence.admin(
            'select state, tries, failures, leased_until > now() as is_leased, round(extract(epoch from enqueue_at - now())) ' +
              'as wakes_in, count(*)::int from webhook_message group by 1, 2, 3, 4, 5 order by 6 desc limit 20',
          );
          throw new Error(`requests at each: ${hangs().join(' ')}; messages: ${JSON.stringify(messages)}`);
        },
        { everyMs: 250 },
      );
      const path = nextPath();
      const good = await fixture.newEndpoint(fixture.receiver.endpoint(path));
      let outlasted = 0;
      for (let round = 1; round <= 3; round += 1) {
        const [youngest] = await fixture.persistence.admin<{ message_id: string; number: number }>(
          'select message_id, number from delivery_attempt where duration_ms is null order by started_at desc limit 1',
        );
        await backlog(fixture.persistence, good, 20);
        await eventually('arrived', () => (fixture.receiver.at(path).length === 20 * round ? true : undefined));
        const ended = await fixture.persistence.admin(
          'select from delivery_attempt where message_id = $1 and number = $2 and duration_ms is not null',
          [youngest?.message_id, youngest?.number],
        );
        if (ended.length === 0) outlasted += 1;
      }
      // Who waits for those that hang waits for the youngest of them, every time.
      expect(outlasted).toBeGreaterThan(0);
      // Six are under way; of others the outcome is being written, of a few more at moments of a busy machine.
      await eventually('a few are leased at a time', async () => {
        const [most] = await fixture.persistence.admin<{ n: number }>(
          'select max(n)::int as n from (select count(*) as n from webhook_message where leased_until > now() group by endpoint_id) x',
        );
        return (most?.n ?? 0) <= 12 ? true : undefined;
      });
    });
  });

  it('F2 are broken off when there is no time left, and made by another worker: nothing is lost', async () => {
    const path = nextPath();
    const endpoint = await fixture.newEndpoint(fixture.receiver.endpoint(path, silence(), answer(204)));
    const [id] = (await backlog(fixture.persistence, endpoint, 1)) as [string];
    const first = await fixture.startWorker();
    await fixture.receiver.receives(1, path);
    await first.stop(0);
    expect(await attemptsOf(endpoint, id)).toMatchObject([{ number: 1, failure: 'aborted' }]);
    const second = await fixture.startWorker();
    await allDone();
    await second.stop();
    expect(fixture.receiver.at(path).map((receipt) => receipt.id)).toEqual([messageIdOf(id), messageIdOf(id)]);
    expect((await attemptsOf(endpoint, id)).map(({ number, status }) => [number, status])).toEqual([
      [1, null],
      [2, 204],
    ]);
  });

  it('F16 begin seconds after a claim that the database did not answer', async () => {
    const path = nextPath();
    const endpoint = await fixture.newEndpoint(fixture.receiver.endpoint(path));
    const worker = await fixture.startWorker();
    const claim = jest.spyOn(worker.module.get(WebhookMessageRepository), 'claim');
    claim.mockRejectedValueOnce(new Error('canceling statement due to statement timeout'));
    const ids = await backlog(fixture.persistence, endpoint, 20);
    await fixture.receiver.receives(20, path, 15_000);
    await worker.stop();
    expect(fixture.receiver.ids(path).toSorted()).toEqual(ids.map(messageIdOf).toSorted());
    expect(claim.mock.calls.length).toBeGreaterThan(1);
    expect(operatorIsNotified).not.toHaveBeenCalled();
  });

  it('F2 end when the process stops: those under way are finished, none begins, none is made twice', async () => {
    const path = nextPath();
    const slow: Parameters<typeof fixture.receiver.endpoint>[1] = (_request, response) => {
      setTimeout(() => response.writeHead(204).end(), 200);
    };
    const endpoints = await Promise.all(
      Array.from({ length: 10 }, (_, n) => fixture.newEndpoint(fixture.receiver.endpoint(`${path}/${n}`, slow))),
    );
    const ids = (await Promise.all(endpoints.map((endpoint) => backlog(fixture.persistence, endpoint, 30)))).flat();
    const first = await fixture.startWorker();
    const received = () => fixture.receiver.receipts.filter((receipt) => receipt.path.startsWith(`${path}/`));
    await eventually('under load', () => (received().length > 50 ? true : undefined));
    await first.stop();
    const before = received().length;
    expect(before).toBeLessThan(300);
    const [dead] = await fixture.persistence.admin<{ n: number }>(
      'select count(*)::int as n from delivery_attempt where duration_ms is null',
    );
    expect(dead?.n).toBe(0);
    await fixture.persistence.admin('update webhook_message set enqueue_at = now() where enqueue_at is not null');
    const second = await fixture.startWorker();
    await allDone();
    await second.stop();
    expect(
      received()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(ids.map(messageIdOf).toSorted());
  });

  it('W8 keep to the rate of an endpoint over three workers, and use it', async () => {
    const path = nextPath();
    const rateLimit = 40;
    const endpoint = await fixture.newEndpoint(fixture.receiver.endpoint(path), { rateLimit });
    await backlog(fixture.persistence, endpoint, 2_000);
    const workers = await Promise.all([fixture.startWorker(), fixture.startWorker(), fixture.startWorker()]);
    await fixture.receiver.receives(200, path);
    await Promise.all(workers.map((worker) => worker.stop()));
    const rows = await fixture.persistence.admin<{ at: number; number: number }>(
      'select extract(epoch from a.started_at)::float8 as at, a.number from delivery_attempt a join webhook_message m on ' +
        'm.id = a.message_id where m.endpoint_id = $1 order by 1',
      [endpoint.id],
    );
    const most = Math.max(...rows.map(({ at }) => rows.filter((row) => row.at >= at && row.at < at + 1).length));
    expect(most).toBeLessThanOrEqual(rateLimit);
    expect(rows.every(({ number }) => number === 1)).toBe(true);
  });
});
