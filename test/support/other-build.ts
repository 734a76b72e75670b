import { appendFile, cp, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const MIGRATIONS = 'dist/libs/persistence/src/migrations';

/** A migration that only that build knows. */
export interface AddedMigration {
  name: string;
  statements: string[];
}

/**
 * A copy of what is built here, as a later version would be: with more migrations. Its programs are below
 * `<directory>/dist` as ours are below ours.
 */
export async function makeLaterBuild(directory: string, migrations: AddedMigration[]): Promise<void> {
  await cp(join(ROOT, 'dist'), join(directory, 'dist'), {
    recursive: true,
    filter: (path) => basename(path) !== '.compile-cache',
  });
  await cp(join(ROOT, 'package.json'), join(directory, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'), 'dir');
  for (const { name, statements } of migrations) {
    await appendFile(join(directory, MIGRATIONS, 'names.js'), `\nMIGRATION_NAMES.push(${JSON.stringify(name)});\n`);
    await appendFile(
      join(directory, MIGRATIONS, 'index.js'),
      `
import { Migration as Base_${name} } from '@mikro-orm/migrations';
MIGRATIONS.push({
  name: ${JSON.stringify(name)},
  class: class ${name} extends Base_${name} {
    up() {
      for (const statement of ${JSON.stringify(statements)}) this.addSql(statement);
    }
  },
});
`,
    );
  }
}
