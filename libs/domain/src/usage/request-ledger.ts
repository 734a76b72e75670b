import type { ProviderType } from '../accounts/account.js';
import type { ApplicationRef } from '../applications/application.js';
import type { RequestCause } from '../providers/provider.js';

export interface RequestCount {
  providerType: ProviderType;
  /** Project whose quota the requests use. Empty without OAuth. */
  project: string;
  cause: RequestCause;
  requests: number;
}

export interface DailyRequests {
  /** UTC day, `YYYY-MM-DD`. */
  date: string;
  providerType: ProviderType;
  cause: RequestCause;
  requests: number;
}

/** Requests sent to providers, counted by the hour for five weeks. */
export abstract class RequestLedgerRepository {
  /** Adds to the current hour. No-op for a deleted application. */
  abstract add(application: ApplicationRef, counts: readonly RequestCount[]): Promise<void>;
  /** Returns the days from `since` on with requests, newest first. */
  abstract daily(application: ApplicationRef, since: Date): Promise<DailyRequests[]>;
  /** As {@link daily}, of all applications by project. */
  abstract dailyByProject(since: Date): Promise<(DailyRequests & { project: string })[]>;
}

/** Google names the project in the client id: `<number>-<hash>.apps.googleusercontent.com`. */
export function projectOf(clientId: string): string {
  return /^(\d{9,})-/.exec(clientId)?.[1] ?? clientId;
}
