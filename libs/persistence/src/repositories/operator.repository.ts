import { Injectable } from '@nestjs/common';
import { OperatorRepository, isUuid, type Operator, type OperatorRefusal, type OperatorRole } from '#domain';
import { Database, type Statement } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';
import { OPERATOR_COLUMNS, toOperator, type OperatorRow } from './operator.rows.js';

@Injectable()
export class SqlOperatorRepository extends OperatorRepository {
  constructor(private readonly database: Database) {
    super();
  }

  override async list(): Promise<Operator[]> {
    const rows = await this.database.read<OperatorRow>(SYSTEM, {
      text: `select ${OPERATOR_COLUMNS} from operator o order by o.email`,
    });
    return rows.map(toOperator);
  }

  override async find(operatorId: string): Promise<Operator | null> {
    if (!isUuid(operatorId)) return null;
    const [row] = await this.database.read<OperatorRow>(SYSTEM, {
      text: `select ${OPERATOR_COLUMNS} from operator o where o.id = $1`,
      values: [operatorId],
    });
    return row === undefined ? null : toOperator(row);
  }

  override async findByEmail(email: string): Promise<{ operator: Operator; passwordHash: string | null } | null> {
    const [row] = await this.database.read<OperatorRow & { password_hash: string | null }>(SYSTEM, {
      text: `select ${OPERATOR_COLUMNS}, o.password_hash from operator o where o.email = $1`,
      values: [email],
    });
    return row === undefined ? null : { operator: toOperator(row), passwordHash: row.password_hash };
  }

  override async isEmpty(): Promise<boolean> {
    const rows = await this.database.read(SYSTEM, { text: 'select from operator limit 1' });
    return rows.length === 0;
  }

  override async changePassword(operatorId: string, from: string, to: string): Promise<boolean> {
    return this.database.transaction(SYSTEM, async () => {
      const { count } = await this.database.write(SYSTEM, setPasswordHash(operatorId, from, to));
      if (count > 0) await this.endSessions(operatorId);
      return count > 0;
    });
  }

  override async rehashPassword(operatorId: string, from: string, to: string): Promise<void> {
    await this.database.write(SYSTEM, setPasswordHash(operatorId, from, to));
  }

  override async loggedIn(operatorId: string, at: Date): Promise<void> {
    await this.database.write(SYSTEM, {
      text: 'update operator set last_login_at = $2 where id = $1',
      values: [operatorId, at],
    });
  }

  override async change(
    operatorId: string,
    { name, role }: { name?: string; role?: OperatorRole },
  ): Promise<Operator | OperatorRefusal> {
    return this.changing(operatorId, role === 'viewer', async ({ role: roleBefore }) => {
      const { rows } = await this.database.write<OperatorRow>(SYSTEM, {
        text:
          'update operator as o set name = coalesce($2, name), role = coalesce($3, role) where id = $1 ' +
          `returning ${OPERATOR_COLUMNS}`,
        values: [operatorId, name ?? null, role ?? null],
      });
      if (role !== undefined && role !== roleBefore) await this.endSessions(operatorId);
      return toOperator(rows[0] as OperatorRow);
    });
  }

  override async remove(operatorId: string): Promise<Operator | OperatorRefusal> {
    return this.changing(operatorId, true, async (operator) => {
      await this.database.write(SYSTEM, { text: 'delete from operator where id = $1', values: [operatorId] });
      return operator;
    });
  }

  /** Admins are locked together, in one order: of two who demote each other, one stays. */
  private async changing(
    operatorId: string,
    losesAdmin: boolean,
    work: (operator: Operator) => Promise<Operator>,
  ): Promise<Operator | OperatorRefusal> {
    if (!isUuid(operatorId)) return 'unknown';
    return this.database.transaction(SYSTEM, async () => {
      const { rows } = await this.database.write<OperatorRow>(SYSTEM, {
        text: `select ${OPERATOR_COLUMNS} from operator o where o.role = 'admin' or o.id = $1 order by o.id for update`,
        values: [operatorId],
      });
      const operator = rows.find(({ id }) => id === operatorId.toLowerCase());
      if (operator === undefined) return 'unknown';
      const isLastAdmin = operator.role === 'admin' && !rows.some((row) => row !== operator && row.role === 'admin');
      return losesAdmin && isLastAdmin ? 'last-admin' : work(toOperator(operator));
    });
  }

  private async endSessions(operatorId: string): Promise<void> {
    await this.database.write(SYSTEM, {
      text: 'delete from operator_session where operator_id = $1',
      values: [operatorId],
    });
  }
}

function setPasswordHash(operatorId: string, from: string, to: string): Statement {
  return {
    text: 'update operator set password_hash = $3 where id = $1 and password_hash = $2',
    values: [operatorId, from, to],
  };
}
