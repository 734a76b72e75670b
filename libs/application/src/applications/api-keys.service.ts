import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  API_KEY_SCOPES,
  ApiKeyRepository,
  ApplicationRepository,
  type ApiKey,
  type ApiKeyForVerification,
  type ApiKeyScope,
} from '#domain/applications';
import { AuditLog } from '#domain/operator';
import { Clock, DomainError, IdGenerator, invalid } from '#domain/system';
import { recordAction } from '../system/actor.js';
import { createKeyText, keyPrefixOf, parseExpiry, parseKeyText } from './key-text.js';
import { KnownKeys } from './known-keys.js';

export interface VerifiedKey {
  applicationId: string;
  keyId: string;
  scopes: ApiKeyScope[];
  /** Requests per second. null for the server's default. */
  rateLimitRps: number | null;
}

export interface ApiKeyView {
  apiKeyId: string;
  applicationId: string;
  name: string;
  prefix: string;
  scopes: ApiKeyScope[];
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
  createdAt: string;
}

export interface CreateApiKey {
  applicationId: string;
  name: string;
  /** Default: `read` and `write`. */
  scopes?: string[];
  /** 7, 30, 90, 180 or 365 (days), `never`, or a future ISO 8601 instant. */
  expires: string;
}

/** Time within which a revoked key stops working in every process (N03). */
const VERIFIED_FOR_MS = 1_000;
const MAX_CACHED_KEYS = 10_000;
/** Without `credentials:read`, which returns the users' tokens. */
const DEFAULT_SCOPES: readonly ApiKeyScope[] = ['read', 'write'];

interface CachedKey {
  key: ApiKeyForVerification;
  loadedAtMs: number;
}

@Injectable()
export class ApiKeysService {
  private readonly cache = new Map<string, CachedKey>();
  private readonly known: KnownKeys;
  private readonly loading = new Map<string, { startedAtMs: number; read: Promise<ApiKeyForVerification | null> }>();

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly applications: ApplicationRepository,
    private readonly audit: AuditLog,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    this.known = new KnownKeys(keys, clock);
  }

  /** Only this result contains the key's text. @throws DomainError NotFound (application), ValidationFailed */
  async create({ applicationId, name, scopes, expires }: CreateApiKey): Promise<ApiKeyView & { apiKey: string }> {
    if (name.trim() === '' || name.length > 200) throw invalid('name', 'must have 1 to 200 characters');
    await this.applications.get(applicationId);
    const id = this.ids.next();
    const { text: apiKey, secretHash, secretTail } = createKeyText('uck', id);
    const key = await this.keys.create({
      id,
      applicationId,
      name: name.trim(),
      scopes: parseScopes(scopes),
      secretHash,
      secretTail,
      expiresAt: parseExpiry(expires, this.clock.nowMs()),
    });
    await recordAction(this.audit, 'api-key.created', `api-key:${id}`, applicationId);
    return { ...toView(key), apiKey };
  }

  /** Oldest first. @throws DomainError NotFound (application) */
  async list(applicationId: string): Promise<ApiKeyView[]> {
    await this.applications.get(applicationId);
    return (await this.keys.list(applicationId)).map(toView);
  }

  /** @param ofApplication required owner; undefined for any. @throws DomainError NotFound */
  async revoke(apiKeyId: string, ofApplication?: string): Promise<void> {
    const found = await this.keys.findForVerification(apiKeyId);
    const key = ofApplication === undefined || found?.applicationId === ofApplication ? found : null;
    if (key === null || !(await this.keys.revoke(apiKeyId, new Date(this.clock.nowMs())))) {
      throw new DomainError('NotFound', 'There is no API key with this id.');
    }
    this.cache.delete(apiKeyId);
    await recordAction(this.audit, 'api-key.revoked', `api-key:${apiKeyId}`, key.applicationId);
  }

  /**
   * @param mayLookUp false reads known keys only, so that guesses cost no statement and valid keys still pass
   * @throws DomainError MissingApiKey, InvalidApiKey, ApiKeyExpired
   */
  async verify(text: string | undefined, mayLookUp?: () => Promise<boolean>): Promise<VerifiedKey> {
    if (text === undefined || text === '') {
      throw new DomainError('MissingApiKey', 'Send the application key in the x-api-key header.');
    }
    const { id: keyId, secretHash: hash } = parseKeyText('uck', text);
    const nowMs = this.clock.nowMs();
    let key = this.cached(keyId, hash, nowMs) ?? null;
    if (key === null) {
      const isWorthIt = mayLookUp === undefined || (await mayLookUp()) || (await this.known.has(keyId, hash));
      if (isWorthIt) key = await this.load(keyId, nowMs);
    }
    // Also compared for unknown keys, so that both cases take the same time (N02).
    const matches = timingSafeEqual(hash, key?.secretHash ?? UNKNOWN_HASH);
    if (key === null || !matches || key.revokedAt !== null) {
      throw new DomainError('InvalidApiKey', 'The application key is not valid.');
    }
    if (key.expiresAt !== null && key.expiresAt.getTime() <= nowMs) {
      throw new DomainError('ApiKeyExpired', 'The application key has expired.');
    }
    this.known.add(key.id, key.secretHash);
    await this.keys.touch(key.id, new Date(nowMs));
    return { applicationId: key.applicationId, keyId: key.id, scopes: key.scopes, rateLimitRps: key.rateLimitRps };
  }

  /** A wrong secret costs a read, exactly as an unknown id does (N02). */
  private cached(keyId: string, hash: Buffer, nowMs: number): ApiKeyForVerification | undefined {
    const entry = this.cache.get(keyId);
    if (entry === undefined || !isFresh(entry.loadedAtMs, nowMs)) return undefined;
    return timingSafeEqual(hash, entry.key.secretHash) ? entry.key : undefined;
  }

  private async load(keyId: string, nowMs: number): Promise<ApiKeyForVerification | null> {
    const running = this.loading.get(keyId);
    // A slow read may return an outdated state, so later callers start their own (N03).
    if (running !== undefined && isFresh(running.startedAtMs, nowMs)) return running.read;
    const reading = this.read(keyId === '' ? this.ids.next() : keyId, nowMs).finally(() => {
      if (this.loading.get(keyId)?.read === reading) this.loading.delete(keyId);
    });
    this.loading.set(keyId, { startedAtMs: nowMs, read: reading });
    return reading;
  }

  private async read(keyId: string, nowMs: number): Promise<ApiKeyForVerification | null> {
    const key = await this.keys.findForVerification(keyId);
    // Unknown ids are not cached: guesses must not evict live keys.
    if (key !== null) {
      if (this.cache.size >= MAX_CACHED_KEYS) this.cache.clear();
      this.cache.set(keyId, { key, loadedAtMs: nowMs });
    }
    return key;
  }
}

function isFresh(atMs: number, nowMs: number): boolean {
  return nowMs >= atMs && nowMs - atMs < VERIFIED_FOR_MS;
}

const UNKNOWN_HASH = randomBytes(32);

function parseScopes(scopes: string[] | undefined): ApiKeyScope[] {
  if (scopes === undefined) return [...DEFAULT_SCOPES];
  const known = API_KEY_SCOPES.filter((scope) => scopes.includes(scope));
  const unknown = scopes.filter((scope) => !(API_KEY_SCOPES as readonly string[]).includes(scope));
  if (unknown.length > 0 || known.length === 0) {
    throw invalid('scopes', `must be a choice of ${API_KEY_SCOPES.join(', ')}`);
  }
  return known;
}

function toView(key: ApiKey): ApiKeyView {
  return {
    apiKeyId: key.id,
    applicationId: key.applicationId,
    name: key.name,
    prefix: keyPrefixOf('uck', key.id),
    scopes: key.scopes,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    createdAt: key.createdAt.toISOString(),
  };
}
