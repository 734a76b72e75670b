import { Migration } from '@mikro-orm/migrations';
import { APPLICATION_ROLE } from '../database/scope.js';

/**
 * The role behind the second wall, for connections whose own role may pass row-level security. Written by hand: roles
 * and grants are no part of what MikroORM compares. Without the right to make roles nothing is lost: such a role is
 * bound by `force row level security` itself.
 */
export class Migration20261121064000_application_role extends Migration {
  override name = 'Migration20261121064000_application_role';

  override up(): void {
    this.addSql(`
      do $$
      begin
        begin
          create role ${APPLICATION_ROLE} nologin nosuperuser nobypassrls;
        exception
          when duplicate_object or unique_violation then null; -- of another database on this server
        end;
        execute format('grant ${APPLICATION_ROLE} to %I', current_user);
        execute format('grant usage on schema %I to ${APPLICATION_ROLE}', current_schema());
        execute format('grant select, insert, update, delete on all tables in schema %I to ${APPLICATION_ROLE}',
                       current_schema());
        execute format('alter default privileges in schema %I grant select, insert, update, delete on tables to '
                       '${APPLICATION_ROLE}', current_schema());
      exception
        when insufficient_privilege then
          raise notice 'role ${APPLICATION_ROLE} not made: % may not create roles', current_user;
      end $$`);
    // Worth nothing after a crash, written at almost every request: not worth the write-ahead log.
    this.addSql('alter table "provider_budget" set unlogged');
  }
}
