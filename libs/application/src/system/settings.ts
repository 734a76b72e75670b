import type { ValueProvider } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';

export interface SharedClientSettings {
  clientId?: unknown;
  clientSecret?: unknown;
  /** Separated by spaces. */
  scopes?: unknown;
  tenant?: unknown;
  /** When the secret ends: an ISO 8601 date or instant. */
  expiresAt?: unknown;
}

export interface ApplicationSettings {
  /** URL at which browsers and providers reach this service, without `/api`. */
  publicUrl: string;
  /** URL of the dashboard, without `/dashboard`. Default: `publicUrl`; null when it is off. */
  operatorUrl?: string | null | undefined;
  providers: Readonly<Record<ProviderType, SharedClientSettings>>;
  /** Days for which requests are stored. 0 stores none. */
  requestHistoryDays: number;
}

export const PUBLIC_URL = Symbol('publicUrl');
export const OPERATOR_URL = Symbol('operatorUrl');
export const SHARED_CLIENTS = Symbol('sharedClients');
export const REQUEST_HISTORY_ENABLED = Symbol('recordsRequests');

export function applicationSettings({
  publicUrl,
  operatorUrl,
  providers,
  requestHistoryDays,
}: ApplicationSettings): ValueProvider[] {
  return [
    { provide: PUBLIC_URL, useValue: publicUrl },
    { provide: OPERATOR_URL, useValue: operatorUrl ?? publicUrl },
    { provide: SHARED_CLIENTS, useValue: providers },
    { provide: REQUEST_HISTORY_ENABLED, useValue: requestHistoryDays > 0 },
  ];
}
