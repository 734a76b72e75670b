import type { Migration } from '@mikro-orm/migrations';
import { breakingStatements } from './breaking-statements.js';
import { admits, floorOf, MIGRATION_NAMES, timeOf } from './names.js';
import { MIGRATIONS } from './index.js';

/** The last one before there was a version that could be broken. */
const LAST_OF_FIRST_VERSION = 'Migration20261122045819_policy_estimates';

describe('the migrations', () => {
  it('are those that a database is asked for, in this order', () => {
    expect(MIGRATIONS.map(({ name }) => name)).toEqual(MIGRATION_NAMES);
  });

  const since = MIGRATIONS.slice(MIGRATION_NAMES.indexOf(LAST_OF_FIRST_VERSION) + 1);

  it('F40 let the version before go on, or say in their name which one cannot', async () => {
    for (const { name } of since) {
      expect([name, (await breakingOf(name)).length > 0]).toEqual([name, floorOf(name) !== null]);
    }
  });

  it('F40 are read for that', async () => {
    const breaking = await Promise.all(MIGRATION_NAMES.map(breakingOf));
    expect(breaking.flat().map(({ how }) => how)).toContain('may refuse what it writes');
  });

  it('F40 ask for code that knows one of those before them', () => {
    for (const { name } of since.filter(({ name }) => floorOf(name) !== null)) {
      const before = MIGRATION_NAMES.slice(0, MIGRATION_NAMES.indexOf(name));
      expect(before.map(timeOf)).toContain(floorOf(name));
    }
  });
});

async function breakingOf(name: string) {
  const migration = MIGRATIONS.find((each) => each.name === name)!;
  const Class = migration.class as unknown as new () => Migration;
  const steps = new Class();
  await steps.up();
  return breakingStatements(steps.getQueries().map(String));
}

describe('F40 a migration that a build does not know', () => {
  const known = ['Migration20270101000000_a', 'Migration20270201000000_b'];

  it.each([
    ['adds something', 'Migration20270301000000_c', true],
    [
      'takes away what code of a known one does without',
      'Migration20270301000000_contract_since_20270101000000_c',
      true,
    ],
    [
      'takes away what the newest known one brought the end of',
      'Migration20270301000000_contract_since_20270201000000',
      true,
    ],
    ['takes away what this build still uses', 'Migration20270401000000_contract_since_20270301000000_d', false],
    ['only speaks of a contract', 'Migration20270401000000_contract_of_somebody', true],
  ])('that %s', (_, name, isAdmitted) => {
    expect(admits(name, known)).toBe(isAdmitted);
  });
});
