import { MIGRATIONS } from './index.js';
import { MIGRATION_NAMES } from './names.js';

describe('the migrations', () => {
  it('are those that a database is asked for, in this order', () => {
    expect(MIGRATIONS.map(({ name }) => name)).toEqual(MIGRATION_NAMES);
  });
});
