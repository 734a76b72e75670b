/** Something without which this process cannot do its work. */
export interface ReadinessCheck {
  /** `database`, `queue`. */
  name: string;
  /** Resolves when it answers. What it throws is logged nowhere and shown to nobody: probes are public. */
  ping(signal: AbortSignal): Promise<unknown>;
}

/** Injection token of `ReadinessCheck[]`. */
export const READINESS_CHECKS = Symbol('READINESS_CHECKS');
