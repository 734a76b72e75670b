import { timingSafeEqual } from 'node:crypto';
import type { ApiKeyRepository } from '#domain/applications';
import type { Clock } from '#domain/system';

const READ_EVERY_MS = 1_000;
/** Longest time from the date of a key, by the clock of the database, to its commit. */
const COMMIT_MARGIN_MS = 300_000;

/** Hashes of existing keys, to reject guesses with one shared statement. Does not authenticate: keys may be revoked. */
export class KnownKeys {
  private readonly hashes = new Map<string, Buffer>();
  private newestMs: number | null = null;
  private readAtMs = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly clock: Clock,
  ) {}

  add(keyId: string, secretHash: Buffer): void {
    this.hashes.set(keyId, secretHash);
  }

  /** Whether the key may exist. Keys created less than a second ago may be missing. */
  async has(keyId: string, secretHash: Buffer): Promise<boolean> {
    if (this.matches(keyId, secretHash)) return true;
    // Also for a known id with a wrong secret, so that the duration does not reveal which ids exist.
    await this.readNew();
    return this.matches(keyId, secretHash);
  }

  private matches(keyId: string, secretHash: Buffer): boolean {
    const known = this.hashes.get(keyId);
    return known !== undefined && timingSafeEqual(known, secretHash);
  }

  private async readNew(): Promise<void> {
    const nowMs = this.clock.nowMs();
    if (nowMs >= this.readAtMs && nowMs - this.readAtMs < READ_EVERY_MS) return this.reading;
    this.readAtMs = nowMs;
    this.reading = this.read().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async read(): Promise<void> {
    const since = this.newestMs === null ? null : new Date(this.newestMs - COMMIT_MARGIN_MS);
    for (const { id, secretHash, createdAt } of await this.keys.listSecretHashes(since)) {
      this.add(id, secretHash);
      this.newestMs = Math.max(this.newestMs ?? 0, createdAt.getTime());
    }
  }
}
