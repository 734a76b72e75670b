import { Clock, OperatorSessionRepository, type OperatorSession } from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';
import { OPERATOR_COLUMNS, toOperator, type OperatorRow } from './operator.rows.js';

interface SessionRow extends OperatorRow {
  secret_hash: Buffer;
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
    idleUntil,
    endsAt,
  }: {
    secretHash: Buffer;
    operatorId: string;
    idleUntil: Date;
    endsAt: Date;
  }): Promise<void> {
    await this.database.write(SYSTEM, {
      text:
        'insert into operator_session (secret_hash, operator_id, created_at, idle_until, ends_at) ' +
        'values ($1, $2, $3, $4, $5)',
      values: [secretHash, operatorId, new Date(this.clock.nowMs()), idleUntil, endsAt],
    });
  }

  override async find(secretHash: Buffer): Promise<OperatorSession | null> {
    const [row] = await this.database.read<SessionRow>(SYSTEM, {
      name: 'operator-session-find',
      text:
        `select s.secret_hash, s.idle_until, s.ends_at, ${OPERATOR_COLUMNS} from operator_session s ` +
        'join operator o on o.id = s.operator_id where s.secret_hash = $1',
      values: [secretHash],
    });
    if (row === undefined) return null;
    return {
      secretHash: row.secret_hash,
      operator: toOperator(row),
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

  override async end(secretHash: Buffer): Promise<void> {
    await this.database.write(SYSTEM, {
      text: 'delete from operator_session where secret_hash = $1',
      values: [secretHash],
    });
  }
}
