import type { SandboxClock } from './clock.js';
import type { SandboxProvider } from './sandbox-provider.js';
import type { StateFile } from './state/state-file.js';

/** Snapshots by provider name; a snapshot that is older than a provider lacks its entry. */
type SandboxSnapshot = { clock: number } & Readonly<Record<string, unknown>>;

type Named = readonly [name: string, provider: SandboxProvider];

/** Clock and providers, with their state between starts. */
export class SandboxState {
  readonly #providers: readonly Named[];

  constructor(
    private readonly clock: SandboxClock,
    providers: Readonly<Record<string, SandboxProvider>>,
    /** True when providers start with demo data. */
    private readonly isSeeded: boolean,
  ) {
    this.#providers = Object.entries(providers);
  }

  /** Restores the stored state, or starts with an empty one. */
  async open(memory: StateFile | null): Promise<void> {
    const begun = new Set<SandboxProvider>();
    const isRestored = memory?.load((state) => {
      const snapshot = state as SandboxSnapshot;
      this.clock.offsetMs = snapshot.clock;
      for (const [name, provider] of this.#providers) {
        if (snapshot[name] === undefined) continue;
        provider.restore(snapshot[name]);
        begun.add(provider);
      }
    });
    if (isRestored !== true) await this.reset();
    else await this.#seed(this.#providers.filter(([, provider]) => !begun.has(provider)));
    for (const [, provider] of this.#providers) {
      if (this.isSeeded) provider.followRedirectUris();
      provider.prepare();
    }
  }

  snapshot(): SandboxSnapshot {
    const snapshots = this.#providers.map(([name, provider]) => [name, provider.snapshot()] as const);
    return { clock: this.clock.offsetMs, ...Object.fromEntries(snapshots) };
  }

  /** Resets the clock and every provider. */
  async reset(): Promise<void> {
    this.clock.offsetMs = 0;
    for (const [, provider] of this.#providers) provider.reset();
    await this.#seed(this.#providers);
  }

  async #seed(providers: readonly Named[]): Promise<void> {
    if (!this.isSeeded) return;
    for (const [, provider] of providers) await provider.seed();
  }
}
