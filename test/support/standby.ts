import { execFile } from 'node:child_process';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgres } from '../../apps/stack/src/postgres/embedded-postgres.js';
import { asAdmin } from './postgres.js';
import { eventually } from './processes.js';

const run = promisify(execFile);

export interface Standby {
  readonly server: EmbeddedPostgres;
  readonly port: number;
  /** For a superuser, by the standby's own port. */
  readonly adminUrl: string;
  /** Makes it the primary. Resolves when it takes writes. */
  promote(): Promise<void>;
}

/**
 * A standby that streams from a server of `EmbeddedPostgres`, which confirms nothing from then on that the standby does
 * not have. By hand, for the binaries bring no pg_basebackup:
 * https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
export async function startStandby(
  primary: { directory: string; adminUrl: string },
  directory: string,
  settings: string[],
): Promise<Standby> {
  const cluster = join(directory, 'cluster');
  await asAdmin(primary.adminUrl, async (admin) => {
    await admin.query("select pg_backup_start('standby', true)");
    // As they are, owners included.
    await run('cp', ['-a', `${primary.directory}/.`, directory]);
    const { rows } = await admin.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await writeFile(join(cluster, 'backup_label'), rows[0]!.labelfile);
  });
  await Promise.all(
    [join(directory, 'owner.pid'), join(cluster, 'postmaster.pid')].map((file) => rm(file, { force: true })),
  );
  await writeFile(join(cluster, 'standby.signal'), '');
  const { hostname, port: primaryPort, username, password } = new URL(primary.adminUrl);
  const source = `host=${hostname} port=${primaryPort} user=${username} password=${password} application_name=standby`;
  await appendFile(join(cluster, 'postgresql.auto.conf'), `\nprimary_conninfo = '${source}'\n`);
  const server = new EmbeddedPostgres({ directory, settings });
  const { adminUrl, port } = await server.start();
  await asAdmin(primary.adminUrl, async (admin) => {
    await eventually('the standby streams', async () => {
      const { rowCount } = await admin.query("select 1 from pg_stat_replication where state = 'streaming'");
      return rowCount === 1 ? true : undefined;
    });
    await admin.query("alter system set synchronous_standby_names = 'standby'");
    await admin.query('select pg_reload_conf()');
  });
  return {
    server,
    port,
    adminUrl,
    async promote() {
      await asAdmin(adminUrl, (admin) => admin.query('select pg_promote(true, 20)'));
    },
  };
}
