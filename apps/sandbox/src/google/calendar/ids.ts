import { createHash } from 'node:crypto';
import type { Memory } from '../../state/memory.js';

const BASE32HEX = '0123456789abcdefghijklmnopqrstuv';

/** Ids and tokens in Google's format. Deterministic: each is a digest of a counter. */
export class Ids {
  constructor(private readonly memory: Memory) {}

  /** 26 characters of base32hex. */
  eventId(): string {
    return [...this.next('event')].slice(0, 26).map(toBase32Hex).join('');
  }

  calendarId(): string {
    return `c_${this.next('calendar').toString('hex')}@group.calendar.google.com`;
  }

  /** `aaa-bbbb-ccc` */
  meetingCode(): string {
    const letters = [...this.next('meeting')].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');
    return `${letters.slice(0, 3)}-${letters.slice(3, 7)}-${letters.slice(7, 10)}`;
  }

  token(): string {
    return this.next('token').toString('base64url');
  }

  private next(kind: string): Buffer {
    return digest(`${kind} ${this.memory.next('ids')}`);
  }
}

/** Identifies a watched collection; shared by all its channels. */
export function resourceIdOf(collection: string): string {
  return digest(collection).toString('base64url').slice(0, 27);
}

export function etagOf(revision: number): string {
  return `"${3_590_000_000_000_000 + revision}"`;
}

function toBase32Hex(byte: number): string {
  return BASE32HEX[byte % 32]!;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
