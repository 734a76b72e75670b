import type { ProviderType } from './account.js';
import type { StoredSigningSecrets } from './webhooks.js';

export interface UnreadableCredential {
  applicationId: string;
  accountId: string;
  rowVersion: number;
  /** Else a password. */
  isGrant: boolean;
}

/** What is stored, of all applications, and opens with no key that there is. */
export abstract class UnreadableSecrets {
  abstract credentials(): Promise<UnreadableCredential[]>;
  abstract oauthClients(): Promise<{ applicationId: string; providerType: ProviderType; clientId: string }[]>;
  /** Gives endpoints other secrets, which can be read. @returns whose they were */
  abstract replaceSigningSecrets(
    next: () => StoredSigningSecrets,
  ): Promise<{ applicationId: string; endpointId: string }[]>;
  /** Deletes what ends by itself or is of no use unread: begun sign-ins, kept answers, revocations, private properties. */
  abstract forgetOthers(): Promise<number>;
}
