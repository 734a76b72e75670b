// Takes long beside other suites: several workers compete for a thousand messages, on the real database.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { WebhookEndpoint } from '#domain/webhooks';
import { SYSTEM } from '#persistence';
import { TAKE_DUE } from '../../libs/persistence/src/repositories/webhook-message.statements.js';
import { asAdmin } from '../support/postgres.js';
import { nodesOf, type ExplainedRow } from '../support/query-plan.js';
import { openPersistence, type Persistence } from './persistence.js';
import {
  announce,
  backlog,
  claim,
  delivered,
  exhausted,
  failed,
  gone,
  interrupted,
  LEASE,
  newSyncedCalendar,
  record,
  SECRETS,
  subscribe,
  tryClaim,
} from './webhook-fixture.js';

/** Three workers on one database. */
let workers: Persistence[];
const worker = (n: number) => workers[n] as Persistence;

beforeAll(async () => {
  const first = await openPersistence();
  const others = [1, 2].map(() => openPersistence({ testDatabase: first.testDatabase }));
  workers = [first, ...(await Promise.all(others))];
});

afterAll(async () => {
  for (const one of workers.toReversed()) await one.close();
});

/** Nothing is due but what a test makes. */
beforeEach(() => worker(0).admin('delete from webhook_message'));

/** A subscription with one message. */
async function newMessage() {
  const fixture = await newSyncedCalendar(worker(0));
  const endpoint = await subscribe(worker(0), fixture);
  const [messageId] = (await announce(worker(0), fixture)) as [string];
  return { ...fixture, endpoint, messageId };
}

const state = async ({
  application,
  endpoint,
}: {
  application: { applicationId: string };
  endpoint: WebhookEndpoint;
}) => (await worker(0).messages.list(application, endpoint.id, { limit: 9, after: null, state: null }))[0];

/** Lets leases, waits and marks of a message be over, without waiting for them. */
const passTime = (messageId: string) =>
  worker(0).admin(
    "update webhook_message set leased_until = leased_until - interval '1 day', next_attempt_at = least(next_attempt_at, " +
      "now()), enqueue_at = enqueue_at - interval '1 day' where id = $1",
    [messageId],
  );

describe('a message', () => {
  it('is claimed with everything that an attempt needs, byte for byte', async () => {
    const { application, account, endpoint, messageId, calendarId } = await newMessage();
    expect(await claim(worker(0), messageId)).toEqual({
      messageId,
      leaseId: expect.any(String),
      number: 1,
      failures: 0,
      stalledCount: 0,
      startsInMs: 0,
      traceparent: null,
      eventType: 'calendar.event.changed',
      body: Buffer.from(`{"eventType":"calendar.event.changed","for":"${endpoint.id}","text":"ü\u{1f4c5}"}`),
      endpoint: {
        id: endpoint.id,
        ...application,
        url: 'https://hooks.example.com/a',
        rateLimit: null,
        secrets: SECRETS,
      },
      webhookSubscriptionId: endpoint.id,
      endUserAccountId: account.id,
      calendarId,
    });
  });

  it('F8 whose secrets cannot be opened keeps no other from being claimed', async () => {
    const [spoilt, sound] = [await newMessage(), await newMessage()];
    await worker(0).admin("update webhook_endpoint set secrets = 'x' where id = $1", [spoilt.endpoint.id]);
    const claims = await worker(0).messages.claim([spoilt.messageId, sound.messageId], LEASE);
    expect(claims).toMatchObject([
      { attempt: { messageId: spoilt.messageId, endpoint: { secrets: null } } },
      { attempt: { messageId: sound.messageId, endpoint: { secrets: SECRETS } } },
    ]);
  });

  it('F1 tells how many processes died over it in a row', async () => {
    const { messageId } = await newMessage();
    const stalledCount: number[] = [];
    for (const ends of [false, false, true, false]) {
      const attempt = await claim(worker(0), messageId);
      stalledCount.push(attempt.stalledCount);
      if (ends) await record(worker(0), attempt, failed(1));
      await passTime(messageId);
    }
    stalledCount.push((await claim(worker(0), messageId)).stalledCount);
    expect(stalledCount).toEqual([0, 1, 2, 0, 1]);
  });

  it('F5 is held by one of many at a time', async () => {
    const { messageId } = await newMessage();
    const claims = await Promise.all(Array.from({ length: 30 }, (_, n) => tryClaim(worker(n % 3), messageId)));
    expect(claims.filter(({ state: outcome }) => outcome === 'claimed')).toHaveLength(1);
    expect(claims.filter(({ state: outcome }) => outcome === 'nothing')).toHaveLength(29);
  });

  it.each([600, -600, -3_600])(
    'F34 is due when the database says, for a worker whose clock is off by %i s',
    async (s) => {
      const clock = { nowMs: () => Date.now() + s * 1_000 };
      const skewed = await openPersistence({ testDatabase: worker(0).testDatabase, clock });
      try {
        const message = await newMessage();
        expect((await skewed.messages.claimForQueue(10)).map(({ id }) => id)).toEqual([message.messageId]);
        const attempt = await claim(skewed, message.messageId);
        expect(await tryClaim(worker(1), message.messageId)).toEqual({ state: 'nothing' });
        await record(skewed, attempt, failed(60_000));
        const [due] = await worker(0).admin<{ s: number }>(
          'select extract(epoch from m.next_attempt_at - a.started_at)::float8 as s from webhook_message m ' +
            'join delivery_attempt a on a.message_id = m.id where m.id = $1',
          [message.messageId],
        );
        expect(due!.s).toBeGreaterThanOrEqual(59.9);
        expect([await skewed.messages.claimForQueue(10), await tryClaim(skewed, message.messageId)]).toEqual([
          [],
          { state: 'nothing' },
        ]);
      } finally {
        await skewed.close();
      }
    },
  );

  it('is done once it was delivered, and logged', async () => {
    const message = await newMessage();
    const attempt = await claim(worker(0), message.messageId);
    expect(await state(message)).toMatchObject({ id: message.messageId, state: 'pending' });
    expect(await record(worker(1), attempt, delivered)).toEqual({ failingSince: null, hasDisabled: false });
    expect(await state(message)).toMatchObject({ state: 'delivered', nextAttemptAt: null, failureReason: null });
    expect(await tryClaim(worker(0), message.messageId)).toEqual({ state: 'nothing' });
    expect(await worker(0).messages.attempts(message.application, message.messageId)).toEqual([
      {
        number: 1,
        startedAt: expect.any(Date),
        durationMs: 12,
        status: 200,
        failure: null,
        responseText: 'ok',
        nextAttemptAt: null,
      },
    ]);
  });

  it('that failed waits for its next attempt, which knows of the failures', async () => {
    const message = await newMessage();
    await record(worker(0), await claim(worker(0), message.messageId), failed(600_000));
    const waiting = await state(message);
    expect(waiting).toMatchObject({ state: 'pending', nextAttemptAt: expect.any(Date) });
    const [logged] = await worker(0).messages.attempts(message.application, message.messageId);
    expect(logged).toMatchObject({ number: 1, status: 500, nextAttemptAt: waiting?.nextAttemptAt });
    expect(Number(logged?.nextAttemptAt) - Number(logged?.startedAt)).toBeGreaterThanOrEqual(600_000);
    expect(await tryClaim(worker(0), message.messageId)).toEqual({ state: 'nothing' });
    await passTime(message.messageId);
    expect(await claim(worker(0), message.messageId)).toMatchObject({ number: 2, failures: 1 });
  });

  it('is given up with a reason', async () => {
    const message = await newMessage();
    await record(worker(0), await claim(worker(0), message.messageId), exhausted);
    expect(await state(message)).toMatchObject({ state: 'failed', failureReason: 'exhausted', nextAttemptAt: null });
    expect(await tryClaim(worker(0), message.messageId)).toEqual({ state: 'nothing' });
  });

  it('F5 W14 is taken over when its lease is over: the late result is not written, the try stays in the log', async () => {
    const message = await newMessage();
    const late = await claim(worker(0), message.messageId);
    await passTime(message.messageId);
    const taken = await claim(worker(1), message.messageId);
    expect(taken).toMatchObject({ number: 2, failures: 0 });
    expect(await record(worker(0), late, delivered)).toBeNull();
    await record(worker(1), taken, delivered);
    expect(await record(worker(0), late, failed())).toBeNull();
    expect(await state(message)).toMatchObject({ state: 'delivered' });
    expect(await worker(0).messages.attempts(message.application, message.messageId)).toMatchObject([
      { number: 1, durationMs: null, status: null },
      { number: 2, durationMs: 12, status: 200 },
    ]);
  });

  it('whose result comes late counts as long as nobody took over', async () => {
    const message = await newMessage();
    const attempt = await claim(worker(0), message.messageId);
    await passTime(message.messageId);
    expect(await record(worker(0), attempt, delivered)).not.toBeNull();
    expect(await state(message)).toMatchObject({ state: 'delivered' });
  });

  it('that we broke off ourselves is due at once, and the schedule has not counted it', async () => {
    const message = await newMessage();
    const attempt = await claim(worker(0), message.messageId);
    expect(await record(worker(0), attempt, interrupted)).toEqual({ failingSince: null, hasDisabled: false });
    expect(await claim(worker(0), message.messageId)).toMatchObject({ number: 2, failures: 0 });
    const [logged] = await worker(0).messages.attempts(message.application, message.messageId);
    expect(logged).toMatchObject({ number: 1, failure: 'aborted' });
  });

  it.each(['', 'x', '0197a000-0000-7000-8000-000000000000'])('with the id %j is nothing to do', async (id) => {
    expect(await tryClaim(worker(0), id)).toEqual({ state: 'nothing' });
  });

  it('is listed by its endpoint, newest first, by state', async () => {
    const message = await newMessage();
    const { endpoint, application } = message;
    const ids = [];
    for (let count = 0; count < 4; count += 1) ids.unshift(...(await announce(worker(0), message)));
    await record(worker(0), await claim(worker(0), ids[1] as string), exhausted);
    const list = async (given: object) =>
      (await worker(0).messages.list(application, endpoint.id, { limit: 2, after: null, state: null, ...given })).map(
        ({ id }) => id,
      );
    expect(await list({})).toEqual(ids.slice(0, 2));
    expect(await list({ after: ids[1] })).toEqual(ids.slice(2, 4));
    expect(await list({ state: 'failed' })).toEqual([ids[1]]);
    expect(await list({ after: 'x' })).toEqual([]);
    expect(await worker(0).messages.list(application, 'x', { limit: 2, after: null, state: null })).toEqual([]);
  });
});

describe('an endpoint', () => {
  const endpointOf = ({ application, endpoint }: Awaited<ReturnType<typeof newMessage>>) =>
    worker(0).endpoints.get(application, endpoint.id);

  it('W12 fails since its first failure; one success ends that', async () => {
    const message = await newMessage();
    const first = await record(worker(0), await claim(worker(0), message.messageId), failed());
    expect(first?.failingSince).toEqual((await endpointOf(message)).failingSince);
    expect(first?.failingSince).toBeInstanceOf(Date);
    const second = await record(worker(0), await claim(worker(0), message.messageId), failed());
    expect(second).toEqual(first);
    const interruption = await record(worker(0), await claim(worker(0), message.messageId), interrupted);
    expect(interruption).toEqual(first);
    expect(await record(worker(0), await claim(worker(0), message.messageId), delivered)).toEqual({
      failingSince: null,
      hasDisabled: false,
    });
    expect((await endpointOf(message)).failingSince).toBeNull();
  });

  it('that answers 410 is disabled, by one of several attempts', async () => {
    const message = await newMessage();
    const ids = await backlog(worker(0), message.endpoint, 6);
    const attempts = await Promise.all(ids.map((id, n) => claim(worker(n % 3), id)));
    const outcomes = await Promise.all(attempts.map((attempt, n) => record(worker(n % 3), attempt, gone)));
    expect(outcomes.filter((outcome) => outcome?.hasDisabled === true)).toHaveLength(1);
    expect(await endpointOf(message)).toMatchObject({ disabledReason: 'gone', disabledAt: expect.any(Date) });
    expect(
      await worker(0).messages.list(message.application, message.endpoint.id, {
        limit: 9,
        after: null,
        state: 'failed',
      }),
    ).toHaveLength(6);
    expect(await tryClaim(worker(0), message.messageId)).toEqual({ state: 'nothing' });
  });

  it('W12 that is disabled gets no attempt; what it missed is recovered', async () => {
    const message = await newMessage();
    const { application, endpoint, messageId } = message;
    expect(await worker(0).endpoints.disable(application, endpoint.id, 'failing')).toBe(true);
    expect(await tryClaim(worker(0), messageId)).toEqual({ state: 'nothing' });
    const [later] = (await announce(worker(0), message)) as [string];
    expect((await worker(0).messages.claimForQueue(1_000)).map(({ id }) => id)).not.toContain(messageId);
    const both = { limit: 9, after: null, state: 'failed' as const };
    expect(await worker(0).messages.list(application, endpoint.id, both)).toEqual([
      expect.objectContaining({ id: later, failureReason: 'endpoint-disabled', nextAttemptAt: null }),
      expect.objectContaining({ id: messageId, failureReason: 'endpoint-disabled', nextAttemptAt: null }),
    ]);
    expect(await worker(0).messages.recover(application, endpoint.id, new Date(0))).toBe(0);
    await worker(0).endpoints.enable(application, endpoint.id);
    expect(await worker(0).messages.recover(application, endpoint.id, new Date(0))).toBe(2);
    expect((await worker(0).messages.claimForQueue(1_000)).map(({ id }) => id)).toEqual(
      expect.arrayContaining([messageId, later]),
    );
    expect(await claim(worker(0), messageId)).toMatchObject({ number: 1, failures: 0 });
  });

  it('that failed is recovered since a time, from the beginning of the schedule', async () => {
    const { application, endpoint } = await newMessage();
    const ids = await backlog(worker(0), endpoint, 4_100);
    await worker(0).admin(
      "update webhook_message set state = 'failed', failure_reason = 'exhausted', failures = 8, tries = 8, " +
        'next_attempt_at = null, enqueue_at = null where id = any($1)',
      [ids],
    );
    await worker(0).admin("update webhook_message set created_at = now() - interval '1 day' where id = any($1)", [
      ids.slice(0, 50),
    ]);
    const since = new Date(Date.now() - 3_600_000);
    expect(await worker(0).messages.recover(application, endpoint.id, since)).toBe(4_050);
    expect(await worker(0).messages.recover(application, endpoint.id, since)).toBe(0);
    expect(await claim(worker(0), ids[60] as string)).toMatchObject({ number: 9, failures: 0 });
    expect(await tryClaim(worker(0), ids[0] as string)).toEqual({ state: 'nothing' });
    await worker(0).endpoints.remove(application, endpoint.id, null);
  });

  it('W13 that was removed gets no attempt, although 1,000 messages were queued and workers are at it', async () => {
    const message = await newMessage();
    const { application, account, endpoint } = message;
    const ids = await backlog(worker(0), endpoint, 1_000);
    let isRemoved = false;
    const starts: boolean[] = [];
    const work = async (n: number) => {
      for (const id of ids.filter((_, index) => index % 6 === n)) {
        const wasRemoved = isRemoved;
        const outcome = await tryClaim(worker(n % 3), id);
        if (outcome.state === 'claimed') starts.push(wasRemoved);
      }
    };
    const working = Promise.all([0, 1, 2, 3, 4, 5].map(work));
    while (starts.length < 100) await new Promise((done) => setImmediate(done));
    expect(await worker(0).endpoints.remove(application, endpoint.id, account.id)).toBe(true);
    isRemoved = true;
    await working;
    expect(starts.length).toBeLessThan(1_000);
    expect(starts).not.toContain(true);
  });

  it('W13 that was removed leaves messages that are dropped in time', async () => {
    const { application, account, endpoint, messageId } = await newMessage();
    const attempt = await claim(worker(0), messageId);
    await worker(0).endpoints.remove(application, endpoint.id, account.id);
    expect(await record(worker(0), attempt, failed())).toEqual({ failingSince: null, hasDisabled: false });
    await passTime(messageId);
    expect((await worker(0).messages.claimForQueue(1_000)).map(({ id }) => id)).not.toContain(messageId);
    expect(await worker(0).admin('select 1 from webhook_message where id = $1', [messageId])).toEqual([]);
    expect(await worker(0).admin('select 1 from delivery_attempt where message_id = $1', [messageId])).toEqual([]);
  });
});

describe('by hand', () => {
  const resend = ({ application, messageId }: Awaited<ReturnType<typeof newMessage>>) =>
    worker(0).messages.resend(application, messageId);

  it('W15 a message goes out again with a number of its own, and the schedule stays as it was', async () => {
    const message = await newMessage();
    await record(worker(0), await claim(worker(0), message.messageId), failed(600_000));
    const before = await state(message);
    await resend(message);
    await resend(message);
    expect(await worker(0).messages.claimForQueue(1_000)).toContainEqual({
      id: message.messageId,
      endpointId: message.endpoint.id,
      isFirst: false,
    });
    const first = await claim(worker(0), message.messageId);
    expect(first).toMatchObject({ number: -1, failures: 1 });
    await record(worker(0), first, failed(5_000));
    const second = await claim(worker(0), message.messageId);
    expect(second.number).toBe(-2);
    await record(worker(0), second, delivered);
    expect(await tryClaim(worker(0), message.messageId)).toEqual({ state: 'nothing' });
    expect(await state(message)).toEqual(before);
    await passTime(message.messageId);
    expect(await claim(worker(0), message.messageId)).toMatchObject({ number: 2, failures: 1 });
    const numbers = await worker(0).messages.attempts(message.application, message.messageId);
    expect(numbers.map(({ number }) => number)).toEqual([1, -1, -2, 2]);
  });

  it('W15 a delivered message stays delivered whatever comes of it, a failed one becomes delivered', async () => {
    const done = await newMessage();
    await record(worker(0), await claim(worker(0), done.messageId), delivered);
    await resend(done);
    await record(worker(0), await claim(worker(0), done.messageId), exhausted);
    expect(await state(done)).toMatchObject({ state: 'delivered', failureReason: null });

    const lost = await newMessage();
    await record(worker(0), await claim(worker(0), lost.messageId), exhausted);
    await resend(lost);
    await record(worker(0), await claim(worker(0), lost.messageId), failed());
    expect(await state(lost)).toMatchObject({ state: 'failed', failureReason: 'exhausted' });
    await resend(lost);
    await record(worker(0), await claim(worker(0), lost.messageId), delivered);
    expect(await state(lost)).toMatchObject({ state: 'delivered', failureReason: null });
  });

  it('F22 an attempt whose process died is made again', async () => {
    const message = await newMessage();
    await resend(message);
    expect((await claim(worker(0), message.messageId)).number).toBe(-1);
    await passTime(message.messageId);
    const again = await claim(worker(1), message.messageId);
    expect(again.number).toBe(-2);
    await record(worker(1), again, interrupted);
    expect((await claim(worker(1), message.messageId)).number).toBe(-3);
  });

  it('a message may be asked for while an attempt is under way', async () => {
    const message = await newMessage();
    const attempt = await claim(worker(0), message.messageId);
    await resend(message);
    await record(worker(0), attempt, delivered);
    expect(await worker(0).messages.claimForQueue(1_000)).toContainEqual({
      id: message.messageId,
      endpointId: message.endpoint.id,
      isFirst: false,
    });
    expect((await claim(worker(0), message.messageId)).number).toBe(-1);
  });

  it('one that is not there is NotFound', async () => {
    const message = await newMessage();
    const elsewhere = await worker(0).newApplication();
    for (const [owner, id] of [
      [elsewhere, message.messageId],
      [message.application, 'x'],
    ] as const) {
      await expect(worker(0).messages.resend(owner, id)).rejects.toMatchObject({ code: 'NotFound' });
    }
    await worker(0).endpoints.remove(message.application, message.endpoint.id, message.account.id);
    await expect(resend(message)).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('the sweep', () => {
  it('F10 F21 gives out what is in no queue, each once over all processes, and again what nobody claimed', async () => {
    const { endpoint } = await newMessage();
    const ids = await backlog(worker(0), endpoint, 500);
    const drain = async (n: number) => {
      const found: string[] = [];
      for (;;) {
        const due = await worker(n).messages.claimForQueue(40);
        found.push(...due.map(({ id }) => id));
        if (due.length === 0) return found;
      }
    };
    const found = (await Promise.all([0, 1, 2].map(drain))).flat().filter((id) => ids.includes(id));
    expect(found).toHaveLength(500);
    expect(new Set(found).size).toBe(500);
    const [late] = ids as [string];
    await worker(0).admin("update webhook_message set enqueue_at = enqueue_at - interval '46 seconds' where id = $1", [
      late,
    ]);
    expect(await worker(0).messages.claimForQueue(40)).toEqual([{ id: late, endpointId: endpoint.id, isFirst: true }]);
  });

  it('F37 gives out the repeats of others beside the thousands that an outage has left', async () => {
    const [down, other] = [await newMessage(), await newMessage()];
    const [late] = (await backlog(worker(0), other.endpoint, 1)) as [string];
    await backlog(worker(0), down.endpoint, 3_000);
    await worker(0).admin(
      "update webhook_message set tries = 7, enqueue_at = now() - case when id = $1 then '1 second' else '4 hours' end::interval",
      [late],
    );
    const due = await worker(0).messages.claimForQueue(400, 'repeated');
    expect(due.map(({ id }) => id)).toContain(late);
    expect(due).toHaveLength(500);
  });

  it.each([
    ['first', 7],
    ['repeated', 0],
  ] as const)('F37 looks for %s ones among no thousands of the others', async (kind, tries) => {
    const { endpoint, messageId } = await newMessage();
    await backlog(worker(0), endpoint, 3_000);
    await worker(0).admin('update webhook_message set tries = $1', [tries]);
    await worker(0).admin('update webhook_message set tries = 7 - tries where id = $1', [messageId]);
    await worker(0).admin('analyze webhook_message');
    const text = await asAdmin(worker(0).testDatabase.adminUrl, async (client) => {
      // Which the planner prefers for so few.
      await client.query('set enable_seqscan = off');
      const { rows } = await client.query(`explain (analyze, costs off) ${TAKE_DUE}`, [400, kind === 'first']);
      return JSON.stringify(rows);
    });
    expect(text).toContain('webhook_message_due');
    expect(text).not.toMatch(/Removed by (Filter|Index Recheck): \d{3}/);
    await worker(0).admin('update webhook_message set enqueue_at = now()');
    expect((await worker(0).messages.claimForQueue(400, kind)).map(({ id }) => id)).toEqual([messageId]);
  });

  it('F38 reads no more of a long backlog than it takes, under row-level security and without statistics', async () => {
    const { endpoint } = await newMessage();
    await backlog(worker(0), endpoint, 60_000);
    // Its statistics are those of an empty table, or of a part of it.
    const { rows } = await worker(0).database.write<ExplainedRow>(SYSTEM, {
      text: `explain (analyze, format json) ${TAKE_DUE}`,
      values: [400, null],
    });
    const reads = nodesOf(rows[0]!['QUERY PLAN'][0].Plan).filter(
      ({ 'Index Name': index }) => index === 'webhook_message_due',
    );
    expect(reads.map((node) => [node['Node Type'], node['Actual Rows'] * node['Actual Loops']])).toEqual([
      ['Index Scan', 400],
      ['Index Scan', 100],
    ]);
  });

  it('F38 keeps no plan from the time when nothing was due', async () => {
    const kept = () =>
      worker(0).database.write<{ name: string }>(SYSTEM, {
        text: 'select name from pg_prepared_statements where generic_plans > 0 and name = any($1)',
        values: [
          ['messages-due', 'messages-claim', 'messages-put-off', 'attempts-extend', 'attempts-record'].map(
            (name) => `webhook-${name}`,
          ),
        ],
      });
    const { endpoint } = await newMessage();
    // From the sixth time on the server would keep one.
    for (let times = 1; times <= 8; times += 1) {
      const [id] = (await backlog(worker(0), endpoint, 1)) as [string];
      await worker(0).messages.claimForQueue(400);
      const attempt = await claim(worker(0), id);
      await worker(0).messages.extend([attempt], 10_000);
      await record(worker(0), attempt, delivered);
      await worker(0).messages.defer([{ messageId: id, inMs: 1_000 }]);
    }
    expect((await kept()).rows).toEqual([]);
  });

  it('F1 gives out what a killed worker held, when its lease is over', async () => {
    const { messageId, endpoint } = await newMessage();
    await worker(0).messages.claimForQueue(1_000);
    const outcome = await tryClaim(worker(0), messageId, { leaseMs: 1 });
    expect(outcome.state).toBe('claimed');
    await new Promise((done) => setTimeout(done, 5));
    expect(await worker(1).messages.claimForQueue(1_000)).toEqual([
      { id: messageId, endpointId: endpoint.id, isFirst: false },
    ]);
    expect((await claim(worker(1), messageId)).number).toBe(2);
  });
});
