import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUIDv7 } from 'node:crypto';
import { openPersistence, type Persistence } from './persistence.js';
import { newWatchedCalendar, SECRETS, subscribe, tryClaim } from './webhook-world.js';

let persistence: Persistence;

beforeAll(async () => {
  persistence = await openPersistence();
}, 60_000);

afterAll(() => persistence.close());

const NOBODY = '0197a000-0000-7000-8000-000000000000';
const message = (id: string) => ({ id, eventType: 'webhook.test', body: Buffer.from('{"eventType":"webhook.test"}') });
const notFound = expect.objectContaining({ code: 'NotFound' });

describe('endpoints', () => {
  it('are counted: the application’s own, and the subscriptions of a calendar', async () => {
    const world = await newWatchedCalendar(persistence);
    const other = await newWatchedCalendar(persistence);
    await subscribe(persistence, world);
    await subscribe(persistence, world);
    await subscribe(persistence, world, { watchedCalendarId: null });
    const count = (given = world.application, calendar: string | null = world.watchedCalendarId) =>
      persistence.endpoints.count(given, calendar);
    expect(await Promise.all([count(), count(world.application, null), count(other.application)])).toEqual([2, 1, 0]);
    expect(await count(other.application, other.watchedCalendarId)).toBe(0);
  });
});

describe('a message that somebody adds', () => {
  it('is due at once, found by its endpoint alone, and claimed with whose calendar it is', async () => {
    const world = await newWatchedCalendar(persistence);
    const endpoint = await subscribe(persistence, world);
    const beside = await subscribe(persistence, world, { secrets: SECRETS });
    const id = randomUUIDv7();
    await persistence.messages.add(world.application, endpoint.id, message(id));
    expect(await persistence.messages.find(world.application, endpoint.id, id)).toEqual({
      ...{ id, endpointId: endpoint.id, eventType: 'webhook.test', state: 'pending', failureReason: null },
      ...{ nextAttemptAt: expect.any(Date), createdAt: expect.any(Date) },
    });
    const { application } = await newWatchedCalendar(persistence);
    for (const [owner, endpointId, messageId] of [
      [world.application, beside.id, id],
      [world.application, endpoint.id, NOBODY],
      [world.application, endpoint.id, 'x'],
      [application, endpoint.id, id],
    ] as const) {
      expect(await persistence.messages.find(owner, endpointId, messageId)).toBeNull();
    }
    expect((await persistence.messages.takeDue(1_000)).map((due) => due.id)).toContain(id);
    expect(await tryClaim(persistence, id)).toMatchObject({
      attempt: {
        ...{ body: message(id).body, webhookSubscriptionId: endpoint.id },
        ...{ endUserAccountId: world.account.id, calendarId: world.calendarId },
      },
    });
  });

  it('has an endpoint of the application', async () => {
    const world = await newWatchedCalendar(persistence);
    const other = await newWatchedCalendar(persistence);
    const endpoint = await subscribe(persistence, world);
    for (const [owner, endpointId] of [
      [other.application, endpoint.id],
      [world.application, NOBODY],
      [world.application, 'x'],
    ] as const) {
      await expect(persistence.messages.add(owner, endpointId, message(randomUUIDv7()))).rejects.toEqual(notFound);
    }
  });
});
