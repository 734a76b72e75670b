import { Clock, OperatorSessionRepository, type NewOperatorSession, type OperatorSession } from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';
import { OPERATOR_COLUMNS, toOperator, type OperatorRow } from './operator.rows.js';

interface SessionRow extends OperatorRow {
  secret_hash: Buffer;
  authenticated_at: Date;
  idle_until: Date;
  ends_at: Date;
}

export class SqlOperatorSessionRepository extends OperatorSessionRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async create({
    secretHash,
    operatorId,
    authenticatedAt,
    idleUntil,
    endsAt,
  }: NewOperatorSession): Promise<void> {
    await this.database.write(SYSTEM, {
      text:
        'insert into operator_session (secret_hash, operator_id, created_at, authenticated_at, idle_until, ends_at) ' +
        'values ($1, $2, $3, $4, $5, $6)',
      values: [secretHash, operatorId, new Date(this.clock.nowMs()), authenticatedAt, idleUntil, endsAt],
    });
  }

  override async find(secretHash: Buffer): Promise<OperatorSession | null> {
    const [row] = await this.database.read<SessionRow>(SYSTEM, {
      name: 'operator-session-find',
      text:
        'select s.secret_hash, coalesce(s.authenticated_at, s.created_at) as authenticated_at, s.idle_until, ' +
        `s.ends_at, ${OPERATOR_COLUMNS} from operator_session s ` +
        'join operator o on o.id = s.operator_id where s.secret_hash = $1',
      values: [secretHash],
    });
    if (row === undefined) return null;
    return {
      secretHash: row.secret_hash,
      operator: toOperator(row),
      authenticatedAt: row.authenticated_at,
      idleUntil: row.idle_until,
      endsAt: row.ends_at,
    };
  }

  override async touch(secretHash: Buffer, idleUntil: Date): Promise<void> {
    await this.database.write(SYSTEM, {
      text: 'update operator_session set idle_until = least($2, ends_at) where secret_hash = $1 and idle_until < $2',
      values: [secretHash, idleUntil],
    });
  }

  override async renew(secretHash: Buffer, renewed: { secretHash: Buffer; authenticatedAt: Date }): Promise<boolean> {
    const { count } = await this.database.write(SYSTEM, {
      text: 'update operator_session set secret_hash = $2, authenticated_at = $3 where secret_hash = $1',
      values: [secretHash, renewed.secretHash, renewed.authenticatedAt],
    });
    return count > 0;
  }

  override async end(secretHash: Buffer): Promise<void> {
    await this.database.write(SYSTEM, {
      text: 'delete from operator_session where secret_hash = $1',
      values: [secretHash],
    });
  }
}
