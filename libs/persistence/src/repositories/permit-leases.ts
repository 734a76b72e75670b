import { randomUUID } from 'node:crypto';
import { foreignKeyAsNotFound } from '../database/database-errors.js';
import { Database, type Statement } from '../database/database.js';
import { tenant } from '../database/scope.js';
import { GIVE_BACK_SLOTS, LACKING_SLOTS, RENEW_SLOTS, TAKE_SLOT } from './limits.statements.js';

export interface AccountScope {
  applicationId: string;
  accountId: string;
}

export interface LeasedSlot {
  accountId: string;
  slot: number;
  leaseId: string;
}

export interface RenewedSlot {
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
        text: TAKE_SLOT,
        values: [applicationId, accountId, limit, count, leaseId, this.processId, own],
      });
    const { rows } = await foreignKeyAsNotFound(() => this.database.detached(take));
    return rows.map(({ slot }) => ({ slot, leaseId }));
  }

  async renew(applicationId: string, slots: readonly LeasedSlot[]): Promise<RenewedSlot[]> {
    return this.writeOwn<RenewedSlot>(applicationId, slots, { name: 'provider-permit-renew', text: RENEW_SLOTS });
  }

  /** Returns the permits that another process waits for, or would: no other permit of the account is free. */
  async lacking(
    applicationId: string,
    slots: readonly (LeasedSlot & { limit: number })[],
  ): Promise<Pick<LeasedSlot, 'slot' | 'leaseId'>[]> {
    return this.database.detached(() =>
      this.database.read<Pick<LeasedSlot, 'slot' | 'leaseId'>>(tenant(applicationId), {
        name: 'provider-permit-lacking',
        text: LACKING_SLOTS,
        values: [applicationId, ...columnsOf(slots), slots.map(({ limit }) => limit)],
      }),
    );
  }

  async giveBack(applicationId: string, slots: readonly LeasedSlot[]): Promise<void> {
    await this.writeOwn(applicationId, slots, { name: 'provider-permit-release', text: GIVE_BACK_SLOTS });
  }

  private async writeOwn<Row>(
    applicationId: string,
    slots: readonly LeasedSlot[],
    statement: Pick<Statement, 'name' | 'text'>,
  ): Promise<Row[]> {
    const { rows } = await this.database.detached(() =>
      this.database.writeRepeatable<Row>(tenant(applicationId), {
        ...statement,
        values: [applicationId, ...columnsOf(slots)],
      }),
    );
    return rows;
  }
}

function columnsOf(slots: readonly LeasedSlot[]): [string[], number[], string[]] {
  return [slots.map(({ accountId }) => accountId), slots.map(({ slot }) => slot), slots.map(({ leaseId }) => leaseId)];
}
