import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DomainError, type JsonValue } from '#domain/system';

/** 32 bytes each. Derived from the key ring, so that rotation covers them. */
export abstract class SealingKeys {
  abstract current(): { kid: string; key: Buffer };
  abstract byId(kid: string): Buffer | null;
}

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MAX_TOKEN_CHARS = 16_384;

/** AES-256-GCM over JSON. The binding is authenticated, so that a token does not open for another account or read. */
@Injectable()
export class SealedTokens {
  constructor(private readonly keys: SealingKeys) {}

  seal(binding: readonly string[], content: JsonValue): string {
    const { kid, key } = this.keys.current();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    cipher.setAAD(associatedData(binding));
    const kidBytes = Buffer.from(kid, 'utf8');
    return Buffer.concat([
      Buffer.from([VERSION, kidBytes.length]),
      kidBytes,
      nonce,
      cipher.update(JSON.stringify(content), 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ]).toString('base64url');
  }

  /** @throws DomainError PageTokenInvalid for a text that was not sealed under the same binding */
  open(binding: readonly string[], token: string): JsonValue {
    const content = this.tryOpen(binding, token);
    if (content === undefined) {
      throw new DomainError('PageTokenInvalid', 'The token is not one that was given out for this request.');
    }
    return content;
  }

  private tryOpen(binding: readonly string[], token: string): JsonValue | undefined {
    if (token.length > MAX_TOKEN_CHARS || !/^[A-Za-z0-9_-]+$/.test(token)) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    // base64url decoding ignores surplus bits, so only the canonical spelling is accepted.
    if (bytes.toString('base64url') !== token) return undefined;
    const kidLength = bytes[1] ?? 0;
    const nonceAt = 2 + kidLength;
    if (bytes[0] !== VERSION || bytes.length < nonceAt + NONCE_BYTES + TAG_BYTES) return undefined;
    const key = this.keys.byId(bytes.toString('utf8', 2, nonceAt));
    if (key === null) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(nonceAt, nonceAt + NONCE_BYTES));
    decipher.setAAD(associatedData(binding));
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    try {
      const text = Buffer.concat([
        decipher.update(bytes.subarray(nonceAt + NONCE_BYTES, bytes.length - TAG_BYTES)),
        decipher.final(),
      ]).toString('utf8');
      return JSON.parse(text) as JsonValue;
    } catch {
      return undefined;
    }
  }
}

/** Length-prefixed, so that different bindings have different bytes. */
function associatedData(binding: readonly string[]): Buffer {
  return Buffer.from(binding.map((part) => `${part.length}:${part}`).join('|'), 'utf8');
}
