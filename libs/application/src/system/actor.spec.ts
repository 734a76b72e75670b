import { actAs, currentActor } from './actor.js';

describe('currentActor', () => {
  it('is whoever acts, also after a wait, and nobody else', async () => {
    const seen = async () => {
      await new Promise(setImmediate);
      return currentActor();
    };
    const [one, other] = [
      { actor: 'operator:ada@example.com', requestId: 'one' },
      { actor: 'operator:bob@example.com', requestId: 'other' },
    ];
    expect(await Promise.all([actAs(one, seen), actAs(other, seen), seen()])).toEqual([
      one,
      other,
      { actor: 'ops', requestId: null },
    ]);
  });
});
