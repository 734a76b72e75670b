import { Memory } from './memory.js';

/** Another memory, as the next process has it. */
function restored(memory: Memory): Memory {
  const next = new Memory();
  next.restore(JSON.parse(JSON.stringify(memory.snapshot())));
  return next;
}

describe('Memory', () => {
  it('keeps maps and sets at any depth, in their order, and shares nothing', () => {
    const memory = new Memory();
    const value = { scopes: new Set(['b', 'a']), list: new Map([['x', { ids: new Set([1]) }]]), $map: 'a text' };
    memory.collection('grants').set('g', value);
    const kept = restored(memory).collection('grants').get('g');
    expect(kept).toEqual(value);
    expect(kept).not.toBe(value);
  });

  it('fills the collections that are held already', () => {
    const memory = new Memory();
    memory.collection('users').set('ada', 1);
    const next = new Memory();
    const users = next.collection('users').set('grace', 2);
    next.restore(memory.snapshot());
    expect([...users]).toEqual([['ada', 1]]);
  });

  it('goes on counting, and skips numbers of every counter, used or not', () => {
    const memory = new Memory();
    expect([memory.next('ids'), memory.next('ids'), memory.last('ids')]).toEqual([1, 2, 2]);
    const next = restored(memory);
    expect(next.next('ids')).toBe(3);
    next.skipAhead();
    expect([next.next('ids'), next.next('revision')]).toEqual([1_000_004, 1_000_001]);
  });

  it('forgets everything but what it is told to keep', () => {
    const memory = new Memory();
    memory.collection('users').set('ada', 1);
    memory.collection('signingKey').set('private', 2);
    memory.next('ids');
    memory.clear('signingKey');
    expect(memory.collection('users').size).toBe(0);
    expect(memory.collection('signingKey').size).toBe(1);
    expect(memory.next('ids')).toBe(1);
  });
});
