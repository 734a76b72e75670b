import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { SigningSecret } from './endpoint-secrets.js';

const ofBytes = (length: number) => `whsec_${Buffer.alloc(length, 0xfb).toString('base64')}`;

describe('SigningSecret', () => {
  it('W3 is new each time: whsec_ and the standard base64 of 32 bytes', () => {
    const texts = Array.from({ length: 100 }, () => SigningSecret.generate().reveal());
    expect(new Set(texts).size).toBe(100);
    for (const text of texts) {
      expect(text).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(text.slice(6), 'base64')).toHaveLength(32);
    }
  });

  it('comes back from its text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 24, maxLength: 64 }), (bytes) => {
        const text = `whsec_${Buffer.from(bytes).toString('base64')}`;
        const secret = SigningSecret.parse(text);
        expect(secret.reveal()).toBe(text);
        expect(secret.mac('a.', Buffer.from('b'))).toEqual(createHmac('sha256', bytes).update('a.b').digest());
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['the prefix alone', 'whsec_'],
    ['23 bytes', ofBytes(23)],
    ['65 bytes', ofBytes(65)],
    ['a megabyte', ofBytes(1_000_000)],
    ['no prefix', ofBytes(32).slice(6)],
    ['another prefix', ofBytes(32).replace('whsec_', 'whsk_')],
    ['a prefix in capitals', ofBytes(32).replace('whsec_', 'WHSEC_')],
    ['no padding', ofBytes(32).replace('=', '')],
    ['too much padding', `${ofBytes(32)}=`],
    ['the alphabet of URLs', ofBytes(32).replaceAll('+', '-').replaceAll('/', '_')],
    ['a line break', `${ofBytes(32)}\n`],
    ['a space in front', ` ${ofBytes(32)}`],
    ['bits that no byte has', `whsec_${'A'.repeat(42)}B=`],
  ])('refuses %s, without repeating it', (_name, text) => {
    expect(() => SigningSecret.parse(text)).toThrow(
      new TypeError('A signing secret is whsec_ and the base64 of 24 to 64 bytes'),
    );
  });

  it('W3 shows itself to nobody but who asks for it', () => {
    const secret = SigningSecret.parse(ofBytes(32));
    const shown = [
      String(secret),
      JSON.stringify({ secret }),
      inspect({ secret }, { showHidden: true, depth: 9 }),
      JSON.stringify(Object.entries(secret)),
      new Error('failed', { cause: secret }).stack,
    ].join();
    expect(shown).toContain('[signing secret]');
    expect(shown).not.toContain(ofBytes(32).slice(6, 20));
    expect(shown).not.toMatch(/KeyObject|fb fb/);
  });
});
