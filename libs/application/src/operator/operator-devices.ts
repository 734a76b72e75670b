import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OperatorRepository, type Operator } from '#domain/operator';
import { Clock } from '#domain/system';
import { SealingKeys } from '../tokens/sealed-tokens.js';

/** 32 bytes each. Derived from the key ring, so that rotation covers them. */
export abstract class OperatorDeviceKeys extends SealingKeys {}

/** How long a device stays known after a sign-in, milliseconds. */
export const DEVICE_LIFETIME_MS = 180 * 86_400_000;

const ID_BYTES = 16;
const MAX_CHARACTERS = 256;

/** Proof for a cookie that an operator has signed in with this browser before. */
export interface OperatorDevice {
  operatorId: string;
  /** `<id>~<expiry, epoch milliseconds>~<key id>~<HMAC-SHA-256>`, binary parts in URL-safe base64. */
  token: string;
}

/**
 * OWASP, "Slow Down Online Guessing Attacks with Device Cookies": guesses of strangers do not count against known
 * browsers. The signature covers the password hash, so that a new password invalidates other devices.
 */
@Injectable()
export class OperatorDevices {
  constructor(
    private readonly operators: OperatorRepository,
    private readonly keys: OperatorDeviceKeys,
    private readonly clock: Clock,
  ) {}

  async issue({ id, email }: Operator): Promise<OperatorDevice | null> {
    const passwordHash = (await this.operators.findByEmail(email))?.passwordHash ?? null;
    if (passwordHash === null) return null;
    const { kid, key } = this.keys.current();
    const device = randomBytes(ID_BYTES).toString('base64url');
    const endsAtMs = String(this.clock.nowMs() + DEVICE_LIFETIME_MS);
    const signature = sign(key, [id, device, endsAtMs, passwordHash]).toString('base64url');
    return { operatorId: id, token: [device, endsAtMs, kid, signature].join('~') };
  }

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

function sign(key: Buffer, [operatorId, device, endsAtMs, passwordHash]: [string, string, string, string]): Buffer {
  const parts = [operatorId, device, endsAtMs, hash('sha256', passwordHash)];
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest();
}
