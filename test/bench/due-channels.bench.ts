/** Finding the calendars whose channels are due among a million that are not. */
import { DUE_RECONCILIATIONS } from '../../libs/persistence/src/repositories/synced-calendar.statements.js';
import { asAdmin, createTestDatabase } from '../support/postgres.js';
import { nodesOf, type ExplainedRow } from '../support/query-plan.js';

const CALENDARS = 1_000_000;
const DUE = 1_000;
const ROUNDS = 15;

const database = await createTestDatabase();
try {
  const row = await asAdmin(database.adminUrl, async (admin) => {
    // Calendars of an account that is not there: foreign keys would take most of the time, and so would ids at random.
    await admin.query('set session_replication_role = replica');
    await admin.query(
      'insert into synced_calendar (id, application_id, end_user_account_id, calendar_id, calendar_hash, sync_requests, next_sync_at, ' +
        'reconcile_requests, reconcile_at, created_at) ' +
        "select lpad(to_hex(n), 32, '0')::uuid, $3, $3, 'c', int4send(n), 0, now(), 0, " +
        "now() + case when n % $2 = 0 then interval '-1 minute' else interval '1 hour' + n * interval '0.5 s' end, now() " +
        'from generate_series(1, $1) as n',
      [CALENDARS, CALENDARS / DUE, '00000000-0000-7000-8000-000000000000'],
    );
    await admin.query('vacuum analyze synced_calendar');
    const times: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      await admin.query('begin');
      const { rows } = await admin.query<ExplainedRow>(`explain (analyze, format json) ${DUE_RECONCILIATIONS}`, [DUE]);
      await admin.query('rollback');
      const [{ Plan: plan, 'Execution Time': ms }] = rows[0]!['QUERY PLAN'];
      for (const node of nodesOf(plan)) {
        const isByIndex = node['Index Name'] === 'synced_calendar_reconcile_at_index';
        if (node['Relation Name'] !== undefined && !isByIndex)
          throw new Error(`not by the index: ${node['Node Type']}`);
        if (node['Rows Removed by Filter']) throw new Error('reads calendars that are not due');
      }
      if (round > 0) times.push(ms);
    }
    const { rowCount } = await admin.query(DUE_RECONCILIATIONS, [CALENDARS]);
    if (rowCount !== DUE) throw new Error(`${rowCount} calendars are due`);
    const median = times.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)]!;
    return {
      name: `Finding and locking ${DUE} calendars whose channels are due among ${CALENDARS}, by the index alone, milliseconds`,
      ratio: median,
      limit: 20,
      detail: `${median.toFixed(2)} ms, slowest ${Math.max(...times).toFixed(2)} ms`,
    };
  });
  console.log(JSON.stringify([row]));
} finally {
  await database.drop();
}
process.exit();
