import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { OperatorSignInFailures, type SignInSubject } from '#domain/operator';
import { Clock, DomainError } from '#domain/system';

/** For guesses of one browser or device: long enough to make guessing useless. */
const GUESSER = { firstWaitSeconds: 10, maxWaitSeconds: 900 };
/** For a network, which others share. Behind an untrusted proxy everybody does. */
const NETWORK = { firstWaitSeconds: 1, maxWaitSeconds: 5 };

/** Failures of an address, from any network, after which logins of unknown devices are delayed. */
const SLOW_FROM = 6;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 2_000;
/** Each delayed login holds a connection and a request of the process. */
const MAX_DELAYED = 100;

export interface AllowedSignIn {
  succeeded(): Promise<void>;
  notTried(): Promise<void>;
}

/** Does not lock out the operator whose password is guessed: blocks an address only together with a network. */
@Injectable()
export class SignInThrottle {
  private delayed = 0;

  constructor(
    private readonly failures: OperatorSignInFailures,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError RateLimited */
  async allowUnknown(email: string, network: string): Promise<AllowedSignIn> {
    const [address, origin] = [hashOf(`email:${email}`), hashOf(`network:${network}`)];
    const pair = hashOf(`login:${network} ${email}`);
    await this.claim([
      { hash: pair, ...GUESSER },
      { hash: origin, ...NETWORK },
    ]);
    const failures = await this.failures.count(address);
    const notTried = async () => {
      for (const subject of [pair, address, origin]) await this.failures.undo(subject);
    };
    if (failures >= SLOW_FROM) await this.slowDown(failures, notTried);
    return {
      notTried,
      succeeded: async () => {
        await this.failures.clear([pair, address]);
        await this.failures.undo(origin);
      },
    };
  }

  /** @throws DomainError RateLimited */
  async allowKnown(kind: 'device' | 'operator', id: string): Promise<AllowedSignIn> {
    const subject = hashOf(`${kind}:${id}`);
    await this.claim([{ hash: subject, ...GUESSER }]);
    return {
      notTried: () => this.failures.undo(subject),
      succeeded: () => this.failures.clear([subject]),
    };
  }

  private async claim(subjects: SignInSubject[]): Promise<void> {
    const until = await this.failures.claim(subjects);
    if (until === null) return;
    const retryAfterSeconds = Math.max(1, Math.ceil((until.getTime() - this.clock.nowMs()) / 1_000));
    throw new DomainError('RateLimited', `Too many wrong passwords. Try again in ${retryAfterSeconds} seconds.`, {
      retryAfterSeconds,
    });
  }

  /** Delays, because a rejection would also hit the operator with the right password. */
  private async slowDown(failures: number, notTried: () => Promise<void>): Promise<void> {
    if (this.delayed >= MAX_DELAYED) {
      await notTried();
      throw new DomainError('RateLimited', 'Too many are signing in at the moment.', { retryAfterSeconds: 1 });
    }
    this.delayed += 1;
    try {
      await sleep(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - SLOW_FROM)));
    } finally {
      this.delayed -= 1;
    }
  }
}

function hashOf(subject: string): Buffer {
  return hash('sha256', subject, 'buffer');
}
