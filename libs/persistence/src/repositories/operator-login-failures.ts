import { Injectable } from '@nestjs/common';
import { Clock, OperatorLoginFailures, type LoginSubject } from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';

/** How long after the last one failures are remembered. */
export const FAILURES_KEPT = "interval '24 hours'";

/** From this many failures on there is a wait. */
const PATIENCE = 5;
/** These lead beyond the longest wait; a power of as many as there may be leads beyond all numbers. */
const DOUBLINGS = 10;

const COUNTED = `case when f.last_at <= $2::timestamptz - ${FAILURES_KEPT} then 1 else f.failures + 1 end`;
const WAIT =
  `(select least(longest_wait, first_wait * power(2, least(${COUNTED} - ${PATIENCE}, ${DOUBLINGS}))) from login ` +
  'where login.subject = f.subject_hash)';

@Injectable()
export class SqlOperatorLoginFailures extends OperatorLoginFailures {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async claim(subjects: readonly LoginSubject[]): Promise<Date | null> {
    const now = new Date(this.clock.nowMs());
    const hashes = subjects.map(({ hash }) => hash);
    const { count } = await this.database.write(SYSTEM, {
      text:
        'with login as (select * from unnest($1::bytea[], $3::int[], $4::int[]) as l (subject, first_wait, longest_wait)) ' +
        'insert into operator_login_failure as f (subject_hash, failures, last_at) ' +
        // Rows are locked in one order.
        'select subject, 1, $2 from login where not exists (select from operator_login_failure ' +
        'where subject_hash = any($1) and blocked_until > $2) order by subject ' +
        `on conflict (subject_hash) do update set failures = ${COUNTED}, last_at = $2, ` +
        `blocked_until = case when ${COUNTED} >= ${PATIENCE} ` +
        `then $2::timestamptz + make_interval(secs => ${WAIT}) end ` +
        'where f.blocked_until is null or f.blocked_until <= $2',
      values: [
        ...[hashes, now],
        ...[subjects.map((one) => one.firstWaitSeconds), subjects.map((one) => one.longestWaitSeconds)],
      ],
    });
    return count === subjects.length ? null : this.blockedUntil(hashes, now);
  }

  override async count(subject: Buffer): Promise<number> {
    const { rows } = await this.database.write<{ failures: number }>(SYSTEM, {
      text:
        'insert into operator_login_failure as f (subject_hash, failures, last_at) values ($1, 1, $2) ' +
        `on conflict (subject_hash) do update set failures = ${COUNTED}, last_at = $2 returning failures`,
      values: [subject, new Date(this.clock.nowMs())],
    });
    return (rows[0] as { failures: number }).failures;
  }

  override async forget(subjects: readonly Buffer[]): Promise<void> {
    await this.database.write(SYSTEM, {
      text: 'delete from operator_login_failure where subject_hash = any($1)',
      values: [subjects],
    });
  }

  override async takeBack(subject: Buffer): Promise<void> {
    await this.database.write(SYSTEM, {
      text:
        'update operator_login_failure set failures = greatest(failures - 1, 0), blocked_until = null ' +
        'where subject_hash = $1',
      values: [subject],
    });
  }

  private async blockedUntil(subjects: readonly Buffer[], now: Date): Promise<Date> {
    const [row] = await this.database.read<{ until: Date | null }>(SYSTEM, {
      text: 'select max(blocked_until) as until from operator_login_failure where subject_hash = any($1)',
      values: [subjects],
    });
    // Forgotten meanwhile: whoever asks again is let in.
    return row?.until ?? now;
  }
}
