export const API_KEY_SCOPES = ['read', 'write', 'credentials:read'] as const;

export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

export interface ApiKey {
  id: string;
  applicationId: string;
  name: string;
  scopes: ApiKeyScope[];
  /** null when the key never expires. */
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  /** By the clock of the database. */
  createdAt: Date;
}

export interface NewApiKey {
  id: string;
  applicationId: string;
  name: string;
  scopes: ApiKeyScope[];
  secretHash: Buffer;
  secretTail: string;
  expiresAt: Date | null;
}

export interface ApiKeyForVerification extends ApiKey {
  secretHash: Buffer;
  /** Limit of the application per key. null for the server's default. */
  rateLimitRps: number | null;
}

export type ApiKeySecretHash = Pick<ApiKeyForVerification, 'id' | 'secretHash' | 'createdAt'>;

export abstract class ApiKeyRepository {
  abstract create(key: NewApiKey): Promise<ApiKey>;
  abstract list(applicationId: string): Promise<ApiKey[]>;
  /** The only read without an application scope, because it finds the application. */
  abstract findForVerification(keyId: string): Promise<ApiKeyForVerification | null>;
  /** Hashes of keys that are not revoked. null does not limit their age. */
  abstract listSecretHashes(createdSince: Date | null): Promise<ApiKeySecretHash[]>;
  /** Returns false when there is no such key. A second call keeps the first date. */
  abstract revoke(keyId: string, revokedAt: Date): Promise<boolean>;
  /** Writes at most once a minute per key. */
  abstract touch(keyId: string, usedAt: Date): Promise<void>;
}
