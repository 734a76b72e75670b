import type { CancelledEvent, EventItem } from '#domain/events';
import { PageRoom } from './page-room.js';

const stub = (id: string): CancelledEvent => ({ id, isCancelled: true });
const event = (length: number) =>
  ({ title: '', description: 'x'.repeat(length), recurrence: null, attendees: [] }) as unknown as EventItem;
const NO_TEXT = { length: 0 };

describe('the room of a page', () => {
  it('is that of so many events', () => {
    const room = new PageRoom(3);
    expect(room.take([stub('a'), stub('b')], 1, NO_TEXT)).toBe(1);
    expect(
      room.take(
        Array.from({ length: 5 }, () => stub('c')),
        0,
        NO_TEXT,
      ),
    ).toBe(2);
    expect(room.take([stub('d')], 0, NO_TEXT)).toBe(0);
  });

  it('is that of so much text, of which an object has its own once', () => {
    const room = new PageRoom(1_000, 10_000);
    const series = { length: 3_000 };
    expect(room.take([event(1_000), event(1_000)], 0, series)).toBe(2);
    expect(room.take([event(1_000), event(1_000)], 0, series)).toBe(1);
    expect(room.take([stub('small')], 0, NO_TEXT)).toBe(0);
  });

  it('has place for one event, however long', () => {
    const room = new PageRoom(1_000, 10_000);
    expect(room.take([event(100_000), event(1)], 0, { length: 200_000 })).toBe(1);
  });
});
