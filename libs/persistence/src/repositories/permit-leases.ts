import { randomUUID } from 'node:crypto';
import { foreignKeyAsNotFound } from '../database/database-errors.js';
import { Database, type Statement } from '../database/database.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { RELEASE_PERMITS, LACKING_PERMITS, RENEW_PERMITS, TAKE_PERMIT } from './limits.statements.js';

export interface AccountScope {
  applicationId: string;
  accountId: string;
}

export interface LeasedPermit extends AccountScope {
  slot: number;
  leaseId: string;
}

export interface RenewedPermit {
  slot: number;
  leaseId: string;
  isWanted: boolean;
}

/** Leases of permits in one table, on the clock of the database, outside transactions of the caller. */
export class PermitLeases {
  private readonly processId = randomUUID();

  constructor(private readonly database: Database) {}

  /**
   * When none is free, reserves the permit that others have held longest, except those of `own`.
   * @throws DomainError NotFound when the application does not exist
   */
  async take({ applicationId, accountId }: AccountScope, limit: number, count: number, own: string[]) {
    const leaseId = randomUUID();
    // A retry may take more than requested: the surplus is free again after the lease.
    const take = () =>
      this.database.writeRepeatable<{ slot: number }>(tenant(applicationId), {
        name: 'provider-permit-take',
        text: TAKE_PERMIT,
        values: [applicationId, accountId, limit, count, leaseId, this.processId, own],
      });
    const { rows } = await foreignKeyAsNotFound(() => this.database.detached(take));
    return rows.map(({ slot }) => ({ slot, leaseId }));
  }

  async renew(slots: readonly LeasedPermit[]): Promise<RenewedPermit[]> {
    return this.writeOwn<RenewedPermit>(slots, { name: 'provider-permit-renew', text: RENEW_PERMITS });
  }

  /** Returns the permits that another process waits for, or would: no other permit of the account is free. */
  async lacking(
    slots: readonly (LeasedPermit & { limit: number })[],
  ): Promise<Pick<LeasedPermit, 'slot' | 'leaseId'>[]> {
    return this.database.detached(() =>
      this.database.read<Pick<LeasedPermit, 'slot' | 'leaseId'>>(SYSTEM, {
        name: 'provider-permit-lacking',
        text: LACKING_PERMITS,
        values: [...columnsOf(slots), slots.map(({ limit }) => limit)],
      }),
    );
  }

  async release(slots: readonly LeasedPermit[]): Promise<void> {
    await this.writeOwn(slots, { name: 'provider-permit-release', text: RELEASE_PERMITS });
  }

  private async writeOwn<Row>(
    slots: readonly LeasedPermit[],
    statement: Pick<Statement, 'name' | 'text'>,
  ): Promise<Row[]> {
    const { rows } = await this.database.detached(() =>
      this.database.writeRepeatable<Row>(SYSTEM, { ...statement, values: columnsOf(slots) }),
    );
    return rows;
  }
}

function columnsOf(slots: readonly LeasedPermit[]): [string[], string[], number[], string[]] {
  return [
    slots.map(({ applicationId }) => applicationId),
    slots.map(({ accountId }) => accountId),
    slots.map(({ slot }) => slot),
    slots.map(({ leaseId }) => leaseId),
  ];
}
