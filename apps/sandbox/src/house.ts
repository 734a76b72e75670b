import type { SandboxClock } from './clock.js';
import type { PretendedProvider } from './pretended-provider.js';
import type { StateFile } from './state/state-file.js';

/** By the names of providers; one that is newer than the snapshot has none in it. */
type HouseSnapshot = { clock: number } & Readonly<Record<string, unknown>>;

type Named = readonly [name: string, provider: PretendedProvider];

/** The clock and the providers, from one start of the sandbox to the next. */
export class House {
  readonly #providers: readonly Named[];

  constructor(
    private readonly clock: SandboxClock,
    providers: Readonly<Record<string, PretendedProvider>>,
    /** Whether providers begin with what a newcomer tries the service with. */
    private readonly isSeeded: boolean,
  ) {
    this.#providers = Object.entries(providers);
  }

  /** Goes on from what is remembered, or begins anew. */
  async open(memory: StateFile | null): Promise<void> {
    const begun = new Set<PretendedProvider>();
    const isRestored = memory?.load((state) => {
      const snapshot = state as HouseSnapshot;
      this.clock.offsetMs = snapshot.clock;
      for (const [name, provider] of this.#providers) {
        if (snapshot[name] === undefined) continue;
        provider.restore(snapshot[name]);
        begun.add(provider);
      }
    });
    if (isRestored !== true) await this.beginAnew();
    else await this.#seed(this.#providers.filter(([, provider]) => !begun.has(provider)));
    for (const [, provider] of this.#providers) {
      if (this.isSeeded) provider.followRedirectUris();
      provider.prepare();
    }
  }

  snapshot(): HouseSnapshot {
    const snapshots = this.#providers.map(([name, provider]) => [name, provider.snapshot()] as const);
    return { clock: this.clock.offsetMs, ...Object.fromEntries(snapshots) };
  }

  /** As if it had never run before. */
  async beginAnew(): Promise<void> {
    this.clock.offsetMs = 0;
    for (const [, provider] of this.#providers) provider.reset();
    await this.#seed(this.#providers);
  }

  async #seed(providers: readonly Named[]): Promise<void> {
    if (!this.isSeeded) return;
    for (const [, provider] of providers) await provider.seed();
  }
}
