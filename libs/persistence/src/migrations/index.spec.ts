import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { breakingStatements } from './breaking-statements.js';
import { admits, minimumMigrationOf, MIGRATION_NAMES, timeOf } from './names.js';
import { MIGRATIONS } from './index.js';

/** `initial` is the first version: older code does not exist. */
const ADDED_LATER = MIGRATIONS.slice(1);

describe('the migrations', () => {
  it('are those that a database is asked for, in this order', () => {
    expect(MIGRATIONS.map(({ name }) => name)).toEqual(MIGRATION_NAMES);
  });

  it('F40 let the version before go on, or say in their name which one cannot', async () => {
    expect(await wronglyNamed(ADDED_LATER)).toEqual([]);
    const drop = migrationOf('Migration20270101000000_drop', 'alter table "outbox" drop column "payload";');
    const contract = migrationOf('Migration20270101000000_contract_since_20261125000000_drop', 'drop table "outbox";');
    const contractOfNothing = migrationOf('Migration20270101000000_contract_since_20261125000000_add', 'select 1;');
    expect(await wronglyNamed([drop, contract, contractOfNothing])).toEqual([drop.name, contractOfNothing.name]);
  });

  it('F40 ask for code that knows one of those before them', () => {
    for (const { name } of ADDED_LATER.filter(({ name }) => minimumMigrationOf(name) !== null)) {
      const before = MIGRATION_NAMES.slice(0, MIGRATION_NAMES.indexOf(name));
      expect(before.map(timeOf)).toContain(minimumMigrationOf(name));
    }
  });
});

/** Names of the migrations that break older code without the name of a contract, or have that name and break nothing. */
async function wronglyNamed(migrations: MigrationObject[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { name, class: added } of migrations) {
    const migration = new (added as unknown as new () => Migration)();
    await migration.up();
    const isBreaking = breakingStatements(migration.getQueries().map(String)).length > 0;
    if (isBreaking !== (minimumMigrationOf(name) !== null)) wrong.push(name);
  }
  return wrong;
}

function migrationOf(name: string, statement: string): MigrationObject {
  class Added extends Migration {
    override up(): void {
      this.addSql(statement);
    }
  }
  return { name, class: Added };
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
  ])('that %s', (_, name, expected) => {
    expect(admits(name, known)).toBe(expected);
  });
});
