import { LoopTurns } from './loop-turns.js';

describe('LoopTurns', () => {
  it('lets one go on in each turn of the event loop, in order', async () => {
    let turn = 0;
    let immediate = setImmediate(function count() {
      turn += 1;
      immediate = setImmediate(count);
    });
    const turns = new LoopTurns();
    const went: [string, number][] = [];
    await Promise.all(['a', 'b', 'c'].map((name) => turns.next().then(() => went.push([name, turn]))));
    clearImmediate(immediate);
    expect(went.map(([name]) => name)).toEqual(['a', 'b', 'c']);
    expect(new Set(went.map(([, at]) => at)).size).toBe(3);
  });

  it('begins again after a pause', async () => {
    const turns = new LoopTurns();
    await turns.next();
    await turns.next();
    await Promise.all([turns.next(), turns.next()]);
  });
});
