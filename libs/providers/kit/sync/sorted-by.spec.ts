import fc from 'fast-check';
import { sortedById } from './sorted-by.js';

describe('sortedById', () => {
  it('is what sorting at once makes of it, duplicates included', async () => {
    const ids = fc.array(fc.string({ maxLength: 3 }), { maxLength: 2_500, size: 'max' });
    await fc.assert(
      fc.asyncProperty(ids, async (given) => {
        const items = given.map((id, at) => ({ id, at }));
        const sorted = await sortedById(items);
        expect(sorted.map(({ id }) => id)).toEqual(given.toSorted());
        expect(new Set(sorted.map(({ at }) => at)).size).toBe(given.length);
      }),
      { numRuns: 50 },
    );
  });
});
