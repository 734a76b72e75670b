import { randomBytes } from 'node:crypto';
import { SealedTokens, SealingKeys } from './sealed-tokens.js';

class Keys extends SealingKeys {
  readonly ring = new Map([
    ['k1', randomBytes(32)],
    ['k2', randomBytes(32)],
  ]);
  kid = 'k1';
  current() {
    return { kid: this.kid, key: this.ring.get(this.kid)! };
  }
  byId(kid: string) {
    return this.ring.get(kid) ?? null;
  }
}

describe('SealedTokens', () => {
  const keys = new Keys();
  const tokens = new SealedTokens(keys);
  const binding = ['events', 'app', 'account', 'calendar'];

  it('opens what it sealed, also after the key ring moved on', () => {
    const token = tokens.seal(binding, { page: 'x' });
    keys.kid = 'k2';
    expect(tokens.open(binding, token)).toEqual({ page: 'x' });
    keys.kid = 'k1';
  });

  it('N16 refuses a token of another account, calendar or kind', () => {
    const token = tokens.seal(binding, { page: 'x' });
    for (const other of [
      ['events', 'app', 'other', 'calendar'],
      ['events', 'app', 'account', 'other'],
      ['calendars', 'app', 'account', 'calendar'],
      ['events', 'app', 'accountcalendar'],
    ]) {
      expect(() => tokens.open(other, token)).toThrow(expect.objectContaining({ code: 'PageTokenInvalid' }));
    }
  });

  it('N16 refuses a token with any one bit flipped', () => {
    const bytes = Buffer.from(tokens.seal(binding, { page: 'x' }), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => tokens.open(binding, flipped.toString('base64url'))).toThrow(
        expect.objectContaining({ code: 'PageTokenInvalid' }),
      );
    }
  });

  it('N16 refuses garbage of any length at once', () => {
    for (const garbage of ['', 'a', '!!!', 'A'.repeat(1_000_000), 'AQ', Buffer.from([1, 255]).toString('base64url')]) {
      expect(() => tokens.open(binding, garbage)).toThrow(expect.objectContaining({ code: 'PageTokenInvalid' }));
    }
  });
});
