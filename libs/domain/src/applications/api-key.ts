export const API_KEY_SCOPES = ['read', 'write', 'credentials:read'] as const;

export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

export interface ApiKey {
  id: string;
  applicationId: string;
  name: string;
  scopes: ApiKeyScope[];
  /** null: never. */
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  createdAt: Date;
}

export interface NewApiKey {
  id: string;
  applicationId: string;
  name: string;
  scopes: ApiKeyScope[];
  /** SHA-256 of the secret part, 32 bytes. */
  secretHash: Buffer;
  /** Last four characters of the secret. */
  secretTail: string;
  expiresAt: Date | null;
}

/** An API key with what the guard needs to judge it. */
export interface ApiKeyForVerification extends ApiKey {
  secretHash: Buffer;
  /** Of the application; null: the server's default. */
  rateLimitRps: number | null;
}

/** What tells a guess from a key. */
export type ApiKeySecretHash = Pick<ApiKeyForVerification, 'id' | 'secretHash' | 'createdAt'>;

export abstract class ApiKeyRepository {
  abstract create(key: NewApiKey): Promise<ApiKey>;
  abstract list(applicationId: string): Promise<ApiKey[]>;
  /** By the key id inside of the key text. The only read that is not scoped by application: it finds out which one. */
  abstract findForVerification(keyId: string): Promise<ApiKeyForVerification | null>;
  /** Of the keys that were made at that time or later, and are not revoked; null: of all of these. */
  abstract listSecretHashes(createdSince: Date | null): Promise<ApiKeySecretHash[]>;
  /** False when there is no such key. Revoking twice keeps the first date. */
  abstract revoke(keyId: string, revokedAt: Date): Promise<boolean>;
  /** Written at most once a minute per key; callers may call it at every request. */
  abstract touch(keyId: string, usedAt: Date): Promise<void>;
}
