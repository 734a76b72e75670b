import { Injectable } from '@nestjs/common';
import { Clock, OperatorSessionRepository, type NewOperatorSession, type OperatorSession } from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';
import { OPERATOR_COLUMNS, toOperator, type OperatorRow } from './operator.rows.js';

interface SessionRow extends OperatorRow {
  secret_hash: Buffer;
  session_created_at: Date;
  authenticated_at: Date;
  last_used_at: Date;
  device: string | null;
  network: string | null;
  idle_until: Date;
  ends_at: Date;
}

/** What the version before has begun was proven and used when it began, as far as is known. */
const SELECT_SESSION =
  'select s.secret_hash, s.created_at as session_created_at, ' +
  'coalesce(s.authenticated_at, s.created_at) as authenticated_at, ' +
  'coalesce(s.last_used_at, s.created_at) as last_used_at, s.device, s.network, s.idle_until, s.ends_at, ' +
  `${OPERATOR_COLUMNS} from operator_session s join operator o on o.id = s.operator_id`;

@Injectable()
export class SqlOperatorSessionRepository extends OperatorSessionRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async create(session: NewOperatorSession): Promise<void> {
    const { secretHash, operatorId, createdAt, authenticatedAt, device, network, idleUntil, endsAt } = session;
    await this.database.write(SYSTEM, {
      text:
        'insert into operator_session (secret_hash, operator_id, created_at, authenticated_at, last_used_at, device, ' +
        'network, idle_until, ends_at) values ($1, $2, $3, $4, $3, $5, $6, $7, $8)',
      values: [secretHash, operatorId, createdAt, authenticatedAt, device, network, idleUntil, endsAt],
    });
  }

  override async find(secretHash: Buffer): Promise<OperatorSession | null> {
    const [row] = await this.database.read<SessionRow>(SYSTEM, {
      name: 'operator-session-find',
      text: `${SELECT_SESSION} where s.secret_hash = $1`,
      values: [secretHash],
    });
    return row === undefined ? null : toSession(row);
  }

  override async list(operatorId: string): Promise<OperatorSession[]> {
    const rows = await this.database.read<SessionRow>(SYSTEM, {
      text: `${SELECT_SESSION} where s.operator_id = $1 and least(s.idle_until, s.ends_at) > $2 order by s.created_at desc`,
      values: [operatorId, new Date(this.clock.nowMs())],
    });
    return rows.map(toSession);
  }

  override async touch(secretHash: Buffer, used: { idleUntil: Date; lastUsedAt: Date }): Promise<void> {
    await this.database.write(SYSTEM, {
      text:
        'update operator_session set idle_until = greatest(idle_until, least($2, ends_at)), last_used_at = $3 ' +
        'where secret_hash = $1 and coalesce(last_used_at, created_at) < $3',
      values: [secretHash, used.idleUntil, used.lastUsedAt],
    });
  }

  override async renew(secretHash: Buffer, renewed: { secretHash: Buffer; authenticatedAt: Date }): Promise<boolean> {
    const { count } = await this.database.write(SYSTEM, {
      text: 'update operator_session set secret_hash = $2, authenticated_at = $3 where secret_hash = $1',
      values: [secretHash, renewed.secretHash, renewed.authenticatedAt],
    });
    return count > 0;
  }

  override async end(secretHash: Buffer): Promise<boolean> {
    const { count } = await this.database.write(SYSTEM, {
      text: 'delete from operator_session where secret_hash = $1',
      values: [secretHash],
    });
    return count > 0;
  }

  override async endOthers(operatorId: string, secretHash: Buffer): Promise<void> {
    await this.database.write(SYSTEM, {
      text: 'delete from operator_session where operator_id = $1 and secret_hash <> $2',
      values: [operatorId, secretHash],
    });
  }
}

function toSession(row: SessionRow): OperatorSession {
  return {
    secretHash: row.secret_hash,
    operator: toOperator(row),
    createdAt: row.session_created_at,
    authenticatedAt: row.authenticated_at,
    lastUsedAt: row.last_used_at,
    device: row.device,
    network: row.network,
    idleUntil: row.idle_until,
    endsAt: row.ends_at,
  };
}
