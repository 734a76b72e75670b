import { RejectedAccounts } from './rejected-accounts.js';

function fixture(listed: string[]) {
  const state = { listed, nowMs: 0, reads: 0, answer: Promise.resolve() };
  const refused = new RejectedAccounts(
    async () => {
      state.reads += 1;
      const found = [...state.listed];
      await state.answer;
      return found;
    },
    () => state.nowMs,
  );
  return { state, refused };
}

describe('RejectedAccounts', () => {
  it('reads the list once for everybody who asks within five seconds', async () => {
    const { state, refused } = fixture(['a']);
    expect(await Promise.all(['a', 'b', 'a'].map((id) => refused.has(id)))).toEqual([true, false, true]);
    state.nowMs = 4_999;
    expect(await refused.has('b')).toBe(false);
    expect(state.reads).toBe(1);
  });

  it('hears of the refusals in other processes after that', async () => {
    const { state, refused } = fixture([]);
    expect(await refused.has('a')).toBe(false);
    state.listed = ['a'];
    state.nowMs = 5_000;
    expect(await refused.has('a')).toBe(true);
    state.listed = [];
    state.nowMs = 10_000;
    expect(await refused.has('a')).toBe(false);
  });

  it('knows its own at once, also those that came while the list was read', async () => {
    const { state, refused } = fixture([]);
    const read = Promise.withResolvers<void>();
    state.answer = read.promise;
    const asked = refused.has('a');
    refused.add('a');
    read.resolve();
    expect(await asked).toBe(true);
    refused.delete('a');
    expect(await refused.has('a')).toBe(false);
    expect(state.reads).toBe(1);
  });

  it('takes no failed reading for an empty list', async () => {
    const { state, refused } = fixture(['a']);
    state.answer = Promise.reject(new Error('database away'));
    await expect(refused.has('a')).rejects.toThrow('database away');
    state.answer = Promise.resolve();
    expect(await refused.has('a')).toBe(true);
  });
});
