import type { ProviderType } from './account.js';
import type { AccountCount } from './oversight-deliveries.js';

/** What there is of all applications at this moment, for who measures. */
export interface InstallationCounts {
  accounts: AccountCount[];
  /** Of providers that push. `wanted`: calendars that are subscribed to, and that their provider would push. */
  channels: { providerType: ProviderType; wanted: number; actual: number }[];
  /** OAuth clients whose refused accounts are held back from EXPIRED. */
  holds: { providerType: ProviderType; clients: number }[];
  /** For how long the account whose credentials are to be tried next has been due; 0: it is not yet. */
  checkOverdueSeconds: number;
  /** Looks at calendars that are due and nobody's, as many as are counted, and for how long the oldest one has been; 0: none is. */
  looks: { due: number; oldestDueSeconds: number };
  /** Messages that something is still to be done for: now, or at a time to come. */
  messages: { due: number; scheduled: number };
  /** For how long the oldest one has been due, and is nobody's; 0: none is. */
  oldestDueSeconds: number;
  /** Endpoints that were given up. */
  disabledEndpoints: number;
  /** Of the oldest account event that is no message yet; 0: there is none. */
  oldestAccountEventSeconds: number;
}

export abstract class InstallationFigures {
  /** @param pushing the providers that push */
  abstract count(pushing: readonly ProviderType[]): Promise<InstallationCounts>;
}
