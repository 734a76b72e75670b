import { breakingStatements } from './breaking-statements.js';

describe('F40 a statement of a migration', () => {
  it.each([
    'alter table "application" drop column "name";',
    'alter table "application" add "plan" text null, drop column "name";',
    'drop table if exists "outbox" cascade;',
    'alter table "application" rename column "name" to "title";',
    'alter table "application" rename to "app";',
    'alter table "application" alter column "name" type varchar(20);',
    'alter table "application" alter column "name" set data type varchar(20) using "name"::varchar;',
    'alter table "application" alter column "deletion_due_at" set not null;',
    'alter table "application" alter column "created_at" drop default;',
    'alter table "application" add "plan" text not null;',
    'alter table "application" add column "plan" text null, add column "size" int not null;',
    'alter table "application" add constraint "named" check (name <> \'\');',
    'alter table "application" add constraint "one" unique ("name");',
    'create unique index "one" on "application" ("name");',
    'revoke select on "application" from public;',
  ])('breaks the version before: %s', (statement) => {
    expect(breakingStatements([statement])).toEqual([{ statement, how: expect.any(String) }]);
  });

  it.each([
    'alter table "application" add "plan" text null;',
    'alter table "application" add "plan" text not null default \'free\';',
    'alter table "application" alter column "name" drop not null;',
    'create index "by_name" on "application" ("name");',
    'drop index "by_name";',
    'update "application" set "plan" = \'free\';',
    'create policy "tenant" on "application" using (true);',
  ])('does not: %s', (statement) => {
    expect(breakingStatements([statement])).toEqual([]);
  });

  it('breaks nothing in a table that the same migration makes', () => {
    const statements = [
      'create table "plan" ("id" uuid not null, "name" text not null, primary key ("id"), unique ("name"));',
      'alter table "plan" add constraint "plan_of" foreign key ("id") references "application" ("id");',
      'create unique index "plan_name" on "plan" ("name");',
    ];
    expect(breakingStatements(statements)).toEqual([]);
  });
});
