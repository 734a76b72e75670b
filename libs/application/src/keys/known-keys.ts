import { timingSafeEqual } from 'node:crypto';
import type { ApiKeyRepository, Clock } from '#domain';

/** What is new is read that often at the most. */
const READ_EVERY_MS = 1_000;
/** Keys are dated by the processes that make them: so much may their clocks differ. */
const CLOCK_MARGIN_MS = 300_000;

/**
 * Which keys there are. It judges a guess without a statement of its own: one for all guesses reads the keys that are
 * new. It admits nobody: a key that is here may have been revoked.
 */
export class KnownKeys {
  /** SHA-256 of the secret by key id. */
  private readonly hashes = new Map<string, Buffer>();
  private newestMs: number | null = null;
  private readAtMs = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly clock: Clock,
  ) {}

  /** A key that has just been proven. */
  add(keyId: string, secretHash: Buffer): void {
    this.hashes.set(keyId, secretHash);
  }

  /** Whether it may be a key. One that was made less than a second ago may be missing. */
  async has(keyId: string, secretHash: Buffer): Promise<boolean> {
    if (this.matches(keyId, secretHash)) return true;
    // After a wrong secret, too: how long this takes must not tell which ids there are.
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
    const since = this.newestMs === null ? null : new Date(this.newestMs - CLOCK_MARGIN_MS);
    for (const { id, secretHash, createdAt } of await this.keys.listSecretHashes(since)) {
      this.add(id, secretHash);
      this.newestMs = Math.max(this.newestMs ?? 0, createdAt.getTime());
    }
  }
}
