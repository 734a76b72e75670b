import { KeptReads, type SnapshotItem } from './kept-reads.js';

const SCOPE = { applicationId: 'app', accountId: 'account', calendarId: 'work' };
const item = (key: string, length = 10): SnapshotItem => ({
  key,
  version: '1',
  item: { id: key.padEnd(length, '.'), isCancelled: true },
});
const keysOf = (page: { given: SnapshotItem[] } | undefined) => page?.given.map(({ key }) => key);

describe('KeptReads', () => {
  it('gives pages after a key, and says where the next one starts', async () => {
    const reads = new KeptReads();
    await reads.keep(
      SCOPE,
      'id',
      ['a', 'b', 'c', 'd', 'e'].map((key) => item(key)),
    );
    expect(reads.page(SCOPE, 'id', 'b', 2)).toEqual({ given: [item('c'), item('d')], last: 'd' });
    expect(reads.page(SCOPE, 'id', 'd', 2)).toEqual({ given: [item('e')], last: null });
    expect(reads.page(SCOPE, 'id', 'c', 2)).toEqual({ given: [item('d'), item('e')], last: null });
    expect(keysOf(reads.page(SCOPE, 'id', '', 1))).toEqual(['a']);
    expect(reads.page(SCOPE, 'id', 'bb', 9)?.given).toHaveLength(3);
  });

  it('knows no read of another account, calendar or token', async () => {
    const reads = new KeptReads();
    await reads.keep(SCOPE, 'id', [item('a')]);
    expect(reads.page(SCOPE, 'other', '', 1)).toBeUndefined();
    for (const name of ['applicationId', 'accountId', 'calendarId']) {
      expect(reads.page({ ...SCOPE, [name]: 'other' }, 'id', '', 1)).toBeUndefined();
    }
  });

  it('keeps a read for a minute after each page', async () => {
    let nowMs = 0;
    const reads = new KeptReads(() => nowMs);
    await reads.keep(SCOPE, 'id', [item('a'), item('b')]);
    for (nowMs of [50_000, 100_000, 150_000]) expect(keysOf(reads.page(SCOPE, 'id', '', 1))).toEqual(['a']);
    nowMs = 210_001;
    expect(reads.page(SCOPE, 'id', '', 1)).toBeUndefined();
  });

  it('keeps no read beyond 32 MiB, and not more than 96 MiB together', async () => {
    const reads = new KeptReads();
    const large = (bytes: number) => [item('a', bytes), item('b')];
    await reads.keep(SCOPE, 'too-large', large(33 * 1024 * 1024));
    expect(reads.page(SCOPE, 'too-large', '', 1)).toBeUndefined();
    for (const id of ['1', '2', '3', '4']) await reads.keep(SCOPE, id, large(30 * 1024 * 1024));
    expect(['1', '2', '3', '4'].map((id) => reads.page(SCOPE, id, 'a', 1) !== undefined)).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
});
