import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { DomainError, invalid } from '#domain/system';
import { isEasyToGuess } from './common-passwords.js';

const MIN_CHARACTERS = 12;
const MAX_CHARACTERS = 256;

interface Parameters {
  /** KiB */
  memory: number;
  passes: number;
  parallelism: number;
}

/** OWASP minimum for argon2id (Password Storage Cheat Sheet). */
const PARAMETERS: Parameters = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Each hash blocks its memory and one of libuv's four threads, which file and DNS access share. */
const AT_ONCE = 2;
const MAX_WAITING = 32;

/** PHC string format of argon2id, version 1.3 (RFC 9106), base64 without padding. */
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const derive = promisify(argon2);

@Injectable()
export class OperatorPasswords {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  /** Compared when there is no password, so that both cases take the same time. */
  private readonly nobodys = phc(PARAMETERS, randomBytes(SALT_BYTES), randomBytes(TAG_BYTES));

  /** @throws DomainError RateLimited when too many hashes are waiting */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    return phc(PARAMETERS, salt, await this.derive(password, salt, PARAMETERS, TAG_BYTES));
  }

  /**
   * @param hash null takes the same time as a wrong password
   * @returns `outdated` for a right password hashed with old parameters
   * @throws DomainError RateLimited when too many hashes are waiting
   */
  async verify(password: string, hash: string | null, isKnown = false): Promise<'right' | 'outdated' | 'wrong'> {
    const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(hash ?? this.nobodys) ?? [];
    const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
    const expected = Buffer.from(tag, 'base64');
    const found = await this.derive(password, Buffer.from(salt, 'base64'), parameters, expected.length, isKnown);
    if (!timingSafeEqual(found, expected) || hash === null) return 'wrong';
    return isOutdated(parameters) ? 'outdated' : 'right';
  }

  private async derive(
    password: string,
    nonce: Buffer,
    parameters: Parameters,
    tagLength: number,
    isKnown = false,
  ): Promise<Buffer> {
    await this.turn(isKnown);
    try {
      return await derive('argon2id', { ...parameters, message: canonical(password), nonce, tagLength });
    } finally {
      this.release();
    }
  }

  private async turn(isKnown: boolean): Promise<void> {
    if (this.running < AT_ONCE) {
      this.running += 1;
    } else if (isKnown) {
      await new Promise<void>((resolve) => this.waiting.unshift(resolve));
    } else if (this.waiting.length < MAX_WAITING) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else {
      throw new DomainError('RateLimited', 'Too many are signing in at the moment.', { retryAfterSeconds: 1 });
    }
  }

  private release(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.running -= 1;
    else next();
  }
}

/** @throws DomainError ValidationFailed */
export async function assertAcceptablePassword(field: string, password: string, email: string): Promise<void> {
  const { length } = [...password];
  if (length < MIN_CHARACTERS || length > MAX_CHARACTERS) {
    throw invalid(field, `must have ${MIN_CHARACTERS} to ${MAX_CHARACTERS} characters`);
  }
  if (new Set(password.toLowerCase()).size < 4) throw invalid(field, 'is too easy to guess');
  if (await isEasyToGuess(password, email)) {
    throw invalid(
      field,
      'is too easy to guess: it is made of common passwords, your address or the name of this service',
    );
  }
}

/** Same password for every encoding of its accents (NIST SP 800-63B §3.1.1.2). */
function canonical(password: string): string {
  return password.normalize('NFKC');
}

function isOutdated({ memory, passes, parallelism }: Parameters): boolean {
  return memory < PARAMETERS.memory || passes < PARAMETERS.passes || parallelism !== PARAMETERS.parallelism;
}

function phc({ memory, passes, parallelism }: Parameters, salt: Buffer, tag: Buffer): string {
  const [saltText, tagText] = [salt, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${saltText}$${tagText}`;
}
