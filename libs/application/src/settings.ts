import type { ValueProvider } from '@nestjs/common';
import type { ProviderType } from '#domain';

/** What the configuration says of the client of one provider. Other settings of it are passed over. */
export interface SharedClientSettings {
  clientId?: unknown;
  clientSecret?: unknown;
  /** Separated by spaces. */
  scopes?: unknown;
  tenant?: unknown;
}

export interface ApplicationSettings {
  /** Under which browsers and providers reach this service, without `/api`. */
  publicUrl: string;
  /** The OAuth clients that the installation shares. */
  providers: Readonly<Record<ProviderType, SharedClientSettings>>;
  /** How long requests are kept; 0: none is recorded. */
  requestLogDays: number;
}

export const PUBLIC_URL = Symbol('publicUrl');
export const SHARED_CLIENTS = Symbol('sharedClients');
export const RECORDS_REQUESTS = Symbol('recordsRequests');

/** What the use cases inject of the configuration. */
export function applicationSettings({ publicUrl, providers, requestLogDays }: ApplicationSettings): ValueProvider[] {
  return [
    { provide: PUBLIC_URL, useValue: publicUrl },
    { provide: SHARED_CLIENTS, useValue: providers },
    { provide: RECORDS_REQUESTS, useValue: requestLogDays > 0 },
  ];
}
