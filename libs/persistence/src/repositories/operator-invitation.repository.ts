import { Injectable } from '@nestjs/common';
import {
  Clock,
  DomainError,
  Ids,
  OperatorInvitationRepository,
  isUuid,
  type InvitationProof,
  type NewOperator,
  type NewOperatorInvitation,
  type Operator,
  type OperatorInvitation,
  type OperatorRole,
} from '#domain';
import { isUniqueViolation } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';
import { OPERATOR_COLUMNS, toOperator, type OperatorRow } from './operator.rows.js';

interface InvitationRow {
  id: string;
  email: string | null;
  role: OperatorRole;
  invited_by: string | null;
  created_at: Date;
  expires_at: Date;
}

const COLUMNS =
  'i.id, i.email, i.role, i.created_at, i.expires_at, ' +
  '(select o.email from operator o where o.id = i.invited_by_id) as invited_by';

/** Key of the lock under which operators come to be; any constant of this database. */
const NEWCOMERS_LOCK = 7_215_011;

@Injectable()
export class SqlOperatorInvitationRepository extends OperatorInvitationRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async create(invitation: NewOperatorInvitation): Promise<OperatorInvitation> {
    return this.alone(async () => {
      await this.database.write(SYSTEM, {
        text: 'delete from operator_invitation where email = $1',
        values: [invitation.email],
      });
      return this.insert(invitation);
    });
  }

  override async replaceSetupLink(tokenHash: Buffer, expiresAt: Date): Promise<boolean> {
    return this.alone(async () => {
      const operators = await this.database.read(SYSTEM, { text: 'select from operator limit 1' });
      if (operators.length > 0) return false;
      await this.withdrawSetupLink();
      await this.insert({ tokenHash, email: null, role: 'admin', invitedBy: null, expiresAt });
      return true;
    });
  }

  override async withdrawSetupLink(): Promise<void> {
    await this.database.write(SYSTEM, { text: 'delete from operator_invitation where email is null' });
  }

  override async list(): Promise<OperatorInvitation[]> {
    const rows = await this.database.read<InvitationRow>(SYSTEM, {
      text:
        `select ${COLUMNS} from operator_invitation i where i.email is not null and i.expires_at > $1 ` +
        'order by i.created_at desc, i.id desc',
      values: [this.now()],
    });
    return rows.map(toInvitation);
  }

  override async find(proof: InvitationProof): Promise<OperatorInvitation | null> {
    const { column, value } = conditionOf(proof);
    const [row] = await this.database.read<InvitationRow>(SYSTEM, {
      text: `select ${COLUMNS} from operator_invitation i where i.${column} = $1 and i.expires_at > $2`,
      values: [value, this.now()],
    });
    return row === undefined ? null : toInvitation(row);
  }

  override async withdraw(invitationId: string): Promise<OperatorInvitation | null> {
    if (!isUuid(invitationId)) return null;
    const { rows } = await this.database.write<InvitationRow>(SYSTEM, {
      text: `delete from operator_invitation i where i.id = $1 and i.email is not null returning ${COLUMNS}`,
      values: [invitationId],
    });
    return rows[0] === undefined ? null : toInvitation(rows[0]);
  }

  override async accept(proof: InvitationProof, operator: NewOperator): Promise<Operator | null> {
    const { column, value } = conditionOf(proof);
    return this.alone(async () => {
      const { rows } = await this.database.write<InvitationRow>(SYSTEM, {
        text: `delete from operator_invitation i where i.${column} = $1 and i.expires_at > $2 returning ${COLUMNS}`,
        values: [value, this.now()],
      });
      if (rows[0] === undefined) return null;
      await this.withdrawSetupLink();
      return this.admit(toInvitation(rows[0]), operator);
    });
  }

  private async admit({ email, role }: OperatorInvitation, operator: NewOperator): Promise<Operator> {
    const { name, passwordHash, identity } = operator;
    try {
      const { rows } = await this.database.write<OperatorRow>(SYSTEM, {
        text:
          'insert into operator as o (id, email, name, role, password_hash, issuer, subject, created_at) ' +
          `values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${OPERATOR_COLUMNS}`,
        values: [
          ...[this.ids.next(), email ?? operator.email, name, role, passwordHash],
          ...[identity?.issuer ?? null, identity?.subject ?? null, this.now()],
        ],
      });
      return toOperator(rows[0] as OperatorRow);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new DomainError('Conflict', 'There is an operator with this email address already.');
    }
  }

  private async insert({
    tokenHash,
    email,
    role,
    invitedBy,
    expiresAt,
  }: Omit<NewOperatorInvitation, 'email'> & { email: string | null }): Promise<OperatorInvitation> {
    const { rows } = await this.database.write<InvitationRow>(SYSTEM, {
      text:
        'insert into operator_invitation as i (id, token_hash, email, role, invited_by_id, created_at, expires_at) ' +
        `values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
      values: [this.ids.next(), tokenHash, email, role, invitedBy, this.now(), expiresAt],
    });
    return toInvitation(rows[0] as InvitationRow);
  }

  /** One at a time: no setup link is made beside the first operator, and two of them never. */
  private async alone<T>(work: () => Promise<T>): Promise<T> {
    return this.database.transaction(SYSTEM, async () => {
      await this.database.write(SYSTEM, { text: 'select pg_advisory_xact_lock($1)', values: [NEWCOMERS_LOCK] });
      return work();
    });
  }

  private now(): Date {
    return new Date(this.clock.nowMs());
  }
}

function conditionOf(proof: InvitationProof): { column: string; value: Buffer | string } {
  return 'tokenHash' in proof
    ? { column: 'token_hash', value: proof.tokenHash }
    : { column: 'email', value: proof.email };
}

function toInvitation(row: InvitationRow): OperatorInvitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    invitedBy: row.invited_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
