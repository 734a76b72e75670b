import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, OperatorRepository, type Operator } from '#domain';
import { SealingKeys } from '../tokens/sealed-tokens.js';

/** Keys that sign devices; 32 bytes each. Derived from the key ring, so that rotation covers them. */
export abstract class OperatorDeviceKeys extends SealingKeys {}

/** For how long a device is known after it has signed in, milliseconds. */
export const DEVICE_LIFETIME_MS = 180 * 86_400_000;

const ID_BYTES = 16;
/** A longer text is none of ours: refused before any work is done. */
const MAX_CHARACTERS = 256;

/** That an operator has signed in with a browser before: for a cookie of it, and nowhere else. */
export interface OperatorDevice {
  operatorId: string;
  /** `<id>~<end, milliseconds since the epoch>~<key id>~<HMAC-SHA-256>`, what is binary as URL-safe base64. */
  token: string;
}

/**
 * Browsers that operators have signed in with. They prove nothing but that: what strangers guess is not held against
 * them (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). The password of the time is a part of what is
 * signed, so that another one makes strangers of all devices but the one that it was set with.
 */
@Injectable()
export class OperatorDevices {
  constructor(
    private readonly operators: OperatorRepository,
    private readonly keys: OperatorDeviceKeys,
    private readonly clock: Clock,
  ) {}

  /** @returns null for who has no password, which nobody can guess then */
  async issue({ id, email }: Operator): Promise<OperatorDevice | null> {
    const passwordHash = (await this.operators.findByEmail(email))?.passwordHash ?? null;
    if (passwordHash === null) return null;
    const { kid, key } = this.keys.current();
    const device = randomBytes(ID_BYTES).toString('base64url');
    const endsAtMs = String(this.clock.nowMs() + DEVICE_LIFETIME_MS);
    const signature = sign(key, [id, device, endsAtMs, passwordHash]).toString('base64url');
    return { operatorId: id, token: [device, endsAtMs, kid, signature].join('~') };
  }

  /** The id of the device; null: it is none of this operator's with this password. */
  find(token: string, operatorId: string, passwordHash: string): string | null {
    if (token.length > MAX_CHARACTERS) return null;
    const [device = '', endsAtMs = '', kid = '', signature = ''] = token.split('~');
    const key = this.keys.byId(kid);
    if (key === null) return null;
    const given = Buffer.from(signature, 'base64url');
    const own = sign(key, [operatorId, device, endsAtMs, passwordHash]);
    if (given.length !== own.length || !timingSafeEqual(given, own)) return null;
    return this.clock.nowMs() < Number(endsAtMs) ? device : null;
  }
}

/** The hash of the password goes in as a hash: what is signed is no longer than needed. */
function sign(key: Buffer, [operatorId, device, endsAtMs, passwordHash]: [string, string, string, string]): Buffer {
  const parts = [operatorId, device, endsAtMs, hash('sha256', passwordHash)];
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest();
}
