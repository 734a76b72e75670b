import { UuidV7Generator } from './clock-and-ids.js';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('UuidV7Generator', () => {
  it('makes ids in the order in which they are asked for, more than one millisecond has room for', () => {
    const ids = new UuidV7Generator();
    const made = Array.from({ length: 50_000 }, () => ids.next());
    expect(made.every((id) => UUID_V7.test(id))).toBe(true);
    expect(made.every((id, index) => index === 0 || id > made[index - 1]!)).toBe(true);
  });

  it('begins with the time, within what the counter had to borrow', () => {
    const before = Date.now();
    const id = new UuidV7Generator().next();
    const time = Number.parseInt(id.slice(0, 13).replace('-', ''), 16);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now() + 1);
  });
});
