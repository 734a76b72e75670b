import { describe, expect, it } from '@jest/globals';
import { ReadBatcher } from './read-batcher.js';

const ONE = '019a9b2d-0b7e-7b70-8f3a-000000000001';
const TWO = '019a9b2d-0b7e-7b70-8f3a-000000000002';
const UNKNOWN = '019a9b2d-0b7e-7b70-8f3a-00000000000f';

/** Rows of two applications; counts what is asked. */
function table(fails: (applicationId: string) => boolean = () => false) {
  const asked: { applicationId: string; ids: string[] }[] = [];
  const owners: Record<string, string> = { [ONE]: 'mine', [TWO]: 'theirs' };
  const reads = new ReadBatcher(async (applicationId, ids) => {
    asked.push({ applicationId, ids });
    if (fails(applicationId)) throw new Error(`the database is away for ${applicationId}`);
    return ids.filter((id) => owners[id] === applicationId).map((id) => ({ id, owner: applicationId }));
  });
  return { reads, asked, owners };
}

describe('ReadBatcher', () => {
  it('asks once for what is wanted in one turn, and gives each caller its own row', async () => {
    const { reads, asked, owners } = table();
    owners[TWO] = 'mine';
    const found = await Promise.all([ONE, TWO, UNKNOWN, ONE].map((id) => reads.find('mine', id)));
    expect(found.map((row) => row?.id)).toEqual([ONE, TWO, undefined, ONE]);
    expect(asked).toEqual([{ applicationId: 'mine', ids: [ONE, TWO, UNKNOWN] }]);
  });

  it('takes ids in any case', async () => {
    const { reads } = table();
    expect((await reads.find('mine', ONE.toUpperCase()))?.id).toBe(ONE);
  });

  it('N05 asks for each application by itself: nobody gets the row of another', async () => {
    const { reads, asked } = table();
    const found = await Promise.all([
      reads.find('mine', TWO),
      reads.find('theirs', TWO),
      reads.find('mine', ONE),
      reads.find('theirs', ONE),
    ]);
    expect(found.map((row) => row?.owner)).toEqual([undefined, 'theirs', 'mine', undefined]);
    expect(asked).toEqual([
      { applicationId: 'mine', ids: [TWO, ONE] },
      { applicationId: 'theirs', ids: [TWO, ONE] },
    ]);
  });

  it('asks anew for whoever comes after the statement was sent: it may have been changed since', async () => {
    const { reads, asked, owners } = table();
    expect(await reads.find('mine', ONE)).toBeDefined();
    delete owners[ONE];
    expect(await reads.find('mine', ONE)).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it('fails for those of one application only, and recovers', async () => {
    let away = true;
    const { reads } = table((applicationId) => away && applicationId === 'mine');
    const settled = await Promise.allSettled([
      reads.find('mine', ONE),
      reads.find('mine', TWO),
      reads.find('theirs', TWO),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    away = false;
    expect((await reads.find('mine', ONE))?.id).toBe(ONE);
  });
});
