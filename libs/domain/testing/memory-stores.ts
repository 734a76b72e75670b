import { randomUUID } from 'node:crypto';
import { PrivatePropertyStore, type ExtendedProperties, type PrivatePropertyKey } from '#domain/events';
import { ProviderConcurrencyLimiter, ProviderRateLimiter } from '#domain/providers';
import { SyncSnapshotStore, type SyncSnapshot } from '#domain/sync';

/** Ports in memory, for tests of adapters without a database. */
export class MemoryPrivateProperties extends PrivatePropertyStore {
  readonly entries = new Map<string, Map<string, ExtendedProperties>>();

  override async load(_scope: unknown, iCalUids: string[]) {
    return new Map(iCalUids.flatMap((uid) => (this.entries.has(uid) ? [[uid, this.entries.get(uid)!] as const] : [])));
  }

  override async save({ iCalUid, instance }: PrivatePropertyKey, properties: ExtendedProperties) {
    const instances = this.entries.get(iCalUid) ?? new Map<string, ExtendedProperties>();
    if (instance === '' && Object.keys(properties).length === 0) instances.delete(instance);
    else instances.set(instance, properties);
    this.entries.set(iCalUid, instances);
  }

  override async remove({ iCalUid, instance }: Omit<PrivatePropertyKey, 'instance'> & { instance?: string }) {
    if (instance === undefined) this.entries.delete(iCalUid);
    else this.entries.get(iCalUid)?.delete(instance);
  }
}

export class MemorySnapshots extends SyncSnapshotStore {
  readonly snapshots = new Map<string, string>();

  override async save(_scope: unknown, snapshot: SyncSnapshot) {
    const id = randomUUID();
    this.snapshots.set(id, JSON.stringify(snapshot));
    return id;
  }

  override async replace(_scope: unknown, id: string, snapshot: SyncSnapshot) {
    if (!this.snapshots.has(id)) return false;
    this.snapshots.set(id, JSON.stringify(snapshot));
    return true;
  }

  override async find(_scope: unknown, id: string) {
    const text = this.snapshots.get(id);
    return text === undefined ? null : (JSON.parse(text) as SyncSnapshot);
  }
}

/** Never waits; counts. */
export class UnlimitedRate extends ProviderRateLimiter {
  taken = 0;

  override async take() {
    this.taken += 1;
  }

  override async admit(_scope: unknown, _requestsPerMinute: number, { requests }: { requests: number }) {
    this.taken += requests;
    return requests;
  }

  override async correct(_scope: unknown, _requestsPerMinute: number, requests: number) {
    this.taken += requests;
  }
}

/** Slots without end; counts how many were held at once. */
export class CountedPermits extends ProviderConcurrencyLimiter {
  readonly held: { account: string; limit: number }[] = [];
  now = 0;
  most = 0;

  override async withPermit<T>(
    { applicationId, accountId }: { applicationId: string; accountId: string },
    limit: number,
    _signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    this.held.push({ account: `${applicationId} ${accountId}`, limit });
    this.now += 1;
    this.most = Math.max(this.most, this.now);
    try {
      return await work();
    } finally {
      this.now -= 1;
    }
  }
}
