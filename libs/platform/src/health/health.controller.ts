import { Controller, Get, Header, Logger, SetMetadata, VERSION_NEUTRAL } from '@nestjs/common';
import {
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import { ServiceState } from './service-state.js';

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
export class DegradedError extends Error {
  override readonly name = 'Impairment';
}

/** What the process needs for its work: each process has its own, and by default nothing. */
export class ReadinessChecks {
  readonly all: readonly ReadinessCheck[] = [];
}

const PING_TIMEOUT_MS = 2_000;

/** Metadata key that marks routes which need no API key. */
export const PUBLIC_ROUTE = 'public-route';

/**
 * Probes. Liveness asks the process alone: a database that is away is no reason to restart it. Outside of the API
 * prefix and without a key.
 */
@SetMetadata(PUBLIC_ROUTE, true)
@Controller({ path: 'health', version: VERSION_NEUTRAL })
export class HealthController {
  private readonly logger = new Logger(HealthController.name);
  private wasReady: boolean | undefined;

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly state: ServiceState,
    private readonly checks: ReadinessChecks,
  ) {}

  /** Is the event loop turning? */
  @Get('live')
  @Header('cache-control', 'no-store')
  checkLiveness(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** May traffic come here? */
  @Get('ready')
  @Header('cache-control', 'no-store')
  async checkReadiness(): Promise<HealthCheckResult> {
    try {
      const result = await this.health.check([() => this.lifecycle(), ...this.pings()]);
      this.logReadinessChange(true);
      return result;
    } catch (error) {
      this.logReadinessChange(false);
      throw error;
    }
  }

  /** Has the process finished booting? */
  @Get('startup')
  @Header('cache-control', 'no-store')
  async checkStartup(): Promise<HealthCheckResult> {
    return this.health.check([
      () => {
        const session = this.indicators.check('service');
        return this.state.phase === 'starting' ? session.down('starting') : session.up();
      },
      ...this.pings(),
    ]);
  }

  private lifecycle(): HealthIndicatorResult {
    const session = this.indicators.check('service');
    return this.state.phase === 'serving' ? session.up() : session.down(this.state.phase);
  }

  private pings(): (() => Promise<HealthIndicatorResult>)[] {
    return this.checks.all.map((check) => () => this.pinged(check));
  }

  private async pinged(check: ReadinessCheck): Promise<HealthIndicatorResult> {
    const { name, isOptional } = check;
    const session = this.indicators.check(name);
    let degradation: string | undefined;
    const result = await session
      .attempt(async ({ signal }) => {
        try {
          await check.ping(signal);
        } catch (cause) {
          if (cause instanceof DegradedError) degradation = cause.message;
          // Driver messages name hosts, users and files; a probe is readable by anybody.
          else throw new Error('does not answer', { cause });
        }
      })
      .withTimeout(PING_TIMEOUT_MS);
    if (degradation !== undefined) return session.degraded(degradation);
    return isOptional === true && result[name]?.status === 'down' ? session.degraded('does not answer') : result;
  }

  /** One line per change, not one per probe. */
  private logReadinessChange(isReady: boolean): void {
    if (this.wasReady === isReady) return;
    if (isReady) this.logger.log('ready');
    else this.logger.warn('not ready');
    this.wasReady = isReady;
  }
}
