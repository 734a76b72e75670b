import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock, DomainError, OperatorLoginFailures, type LoginSubject } from '#domain';

/** Whoever guesses: long enough for guessing to lead nowhere. */
const GUESSER = { firstWaitSeconds: 10, longestWaitSeconds: 900 };
/** Of a network, with whoever else is in it: behind a proxy that is not trusted, that is everybody. */
const NETWORK = { firstWaitSeconds: 1, longestWaitSeconds: 5 };

/** From this many failures of an address on, wherever they came from, its logins from unknown devices are slow. */
const SLOW_FROM = 6;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 2_000;
/** Each is a connection, and a request that the process answers. */
const MOST_DELAYED = 100;

/** A login that may be tried. */
export interface AdmittedLogin {
  /** It was right: what is counted for who it is is forgotten. */
  succeeded(): Promise<void>;
  /** Nobody looked at the password: it counts for nothing. */
  untried(): Promise<void>;
}

/**
 * Holds up whoever guesses passwords, and keeps nobody out whose password somebody else guesses: blocked are an address
 * and a network together, or one device. An address alone is made slow, a network alone waits for seconds.
 */
@Injectable()
export class OperatorLoginGuard {
  private delayed = 0;

  constructor(
    private readonly failures: OperatorLoginFailures,
    private readonly clock: Clock,
  ) {}

  /**
   * A login that nothing is known of.
   * @param email in lower case
   * @param network where it comes from
   * @throws DomainError RateLimited
   */
  async admitStranger(email: string, network: string): Promise<AdmittedLogin> {
    const [address, origin] = [hashOf(`email:${email}`), hashOf(`network:${network}`)];
    const pair = hashOf(`login:${network} ${email}`);
    await this.claim([
      { hash: pair, ...GUESSER },
      { hash: origin, ...NETWORK },
    ]);
    const failures = await this.failures.count(address);
    const untried = async () => {
      for (const subject of [pair, address, origin]) await this.failures.takeBack(subject);
    };
    if (failures >= SLOW_FROM) await this.slowDown(failures, untried);
    return {
      untried,
      succeeded: async () => {
        await this.failures.forget([pair, address]);
        await this.failures.takeBack(origin);
      },
    };
  }

  /**
   * A login with a device that has signed in before, or by who is signed in: what others do is not held against it.
   * @throws DomainError RateLimited
   */
  async admitKnown(kind: 'device' | 'operator', id: string): Promise<AdmittedLogin> {
    const subject = hashOf(`${kind}:${id}`);
    await this.claim([{ hash: subject, ...GUESSER }]);
    return {
      untried: () => this.failures.takeBack(subject),
      succeeded: () => this.failures.forget([subject]),
    };
  }

  private async claim(subjects: LoginSubject[]): Promise<void> {
    const until = await this.failures.claim(subjects);
    if (until === null) return;
    const retryAfterSeconds = Math.max(1, Math.ceil((until.getTime() - this.clock.nowMs()) / 1_000));
    throw new DomainError('RateLimited', `Too many wrong passwords. Try again in ${retryAfterSeconds} seconds.`, {
      retryAfterSeconds,
    });
  }

  /** Not a refusal: of many who ask at once the one with the password would be refused as well. */
  private async slowDown(failures: number, untried: () => Promise<void>): Promise<void> {
    if (this.delayed >= MOST_DELAYED) {
      await untried();
      throw new DomainError('RateLimited', 'Too many are signing in at the moment.', { retryAfterSeconds: 1 });
    }
    this.delayed += 1;
    try {
      await sleep(Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - SLOW_FROM)));
    } finally {
      this.delayed -= 1;
    }
  }
}

/** What failures are counted for. */
function hashOf(subject: string): Buffer {
  return hash('sha256', subject, 'buffer');
}
