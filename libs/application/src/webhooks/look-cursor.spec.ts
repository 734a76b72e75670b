import { NO_CURSOR, readLookCursor, writeLookCursor, type LookCursor } from './look-cursor.js';

const CURSOR: LookCursor = {
  sync: { kind: 'token', token: 'x' },
  window: { startMs: 1, endMs: 2 },
  toldAtMs: 3,
  isBeginning: true,
  isLost: false,
};

describe('a look cursor', () => {
  it.each([[CURSOR], [NO_CURSOR]])('comes back as it was', (cursor) => {
    expect(readLookCursor(writeLookCursor(cursor))).toEqual(cursor);
  });

  it.each([
    ['', 'next', '{', 'null', '7', '[]', '{}'],
    [
      { ...CURSOR, sync: undefined },
      { ...CURSOR, window: undefined },
      { ...CURSOR, window: { startMs: 1 } },
    ],
    [
      { ...CURSOR, toldAtMs: '3' },
      { ...CURSOR, isBeginning: 1 },
      { ...CURSOR, isLost: null },
    ],
  ])('is none when it is of another shape', (...texts) => {
    for (const text of texts) {
      expect(readLookCursor(typeof text === 'string' ? text : JSON.stringify(text))).toBeNull();
    }
  });
});
