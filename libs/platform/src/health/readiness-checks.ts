/** Something that this process needs for its work. */
export interface ReadinessCheck {
  /** `database`, `queue`. */
  name: string;
  /** While it is away the process does its work less well, but does it: it stays ready. */
  isOptional?: boolean;
  /**
   * Resolves when it answers. What it throws is logged nowhere and shown to nobody, {@link Impairment} excepted: probes
   * are public.
   */
  ping(signal: AbortSignal): Promise<unknown>;
}

/** It answers, but not as it has to. The message is for everybody: no names of hosts, users or files. */
export class Impairment extends Error {
  override readonly name = 'Impairment';
}

/** What the process needs for its work: each process has its own, and by default nothing. */
export class ReadinessChecks {
  readonly all: readonly ReadinessCheck[] = [];
}
