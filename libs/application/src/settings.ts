import type { ValueProvider } from '@nestjs/common';
import type { ProviderType } from '#domain';

export interface SharedClientSettings {
  clientId?: unknown;
  clientSecret?: unknown;
  /** Separated by spaces. */
  scopes?: unknown;
  tenant?: unknown;
}

export interface ApplicationSettings {
  /** URL at which browsers and providers reach this service, without `/api`. */
  publicUrl: string;
  providers: Readonly<Record<ProviderType, SharedClientSettings>>;
  /** Days for which requests are stored. 0 stores none. */
  requestLogDays: number;
}

export const PUBLIC_URL = Symbol('publicUrl');
export const SHARED_CLIENTS = Symbol('sharedClients');
export const RECORDS_REQUESTS = Symbol('recordsRequests');

export function applicationSettings({ publicUrl, providers, requestLogDays }: ApplicationSettings): ValueProvider[] {
  return [
    { provide: PUBLIC_URL, useValue: publicUrl },
    { provide: SHARED_CLIENTS, useValue: providers },
    { provide: RECORDS_REQUESTS, useValue: requestLogDays > 0 },
  ];
}
