import { Injectable } from '@nestjs/common';
import { InstallationFigures, type AccountStatus, type InstallationCounts, type ProviderType } from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';
import { COUNTS } from './counted.statements.js';

interface CountsRow {
  accounts: { provider_type: ProviderType; status: AccountStatus; count: number }[];
  channels: { provider_type: ProviderType; wanted: number; actual: number }[];
  holds: { provider_type: ProviderType; clients: number }[];
  check_overdue_seconds: number;
  due_looks: number;
  oldest_due_look_seconds: number;
  unsettled: number;
  scheduled: number;
  oldest_due_seconds: number;
  disabled_endpoints: number;
  oldest_account_event_seconds: number;
}

@Injectable()
export class SqlInstallationFigures extends InstallationFigures {
  constructor(private readonly database: Database) {
    super();
  }

  override async count(pushing: readonly ProviderType[]): Promise<InstallationCounts> {
    const [row] = await this.database.read<CountsRow>(SYSTEM, {
      name: 'installation-counts',
      text: COUNTS,
      values: [pushing],
    });
    if (row === undefined) throw new Error('a select without a table has no row');
    return {
      accounts: row.accounts.map(ofProvider),
      channels: row.channels.map(ofProvider),
      holds: row.holds.map(ofProvider),
      checkOverdueSeconds: row.check_overdue_seconds,
      looks: { due: row.due_looks, oldestDueSeconds: row.oldest_due_look_seconds },
      messages: { due: row.unsettled - row.scheduled, scheduled: row.scheduled },
      oldestDueSeconds: row.oldest_due_seconds,
      disabledEndpoints: row.disabled_endpoints,
      oldestAccountEventSeconds: row.oldest_account_event_seconds,
    };
  }
}

function ofProvider<T extends { provider_type: ProviderType }>({ provider_type: providerType, ...counts }: T) {
  return { providerType, ...counts };
}
