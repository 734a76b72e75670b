import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { KeyRing, KeyRingError } from './field-cipher.js';

const k1 = randomBytes(32).toString('base64');
const k2 = randomBytes(32).toString('base64');

describe('KeyRing', () => {
  it('encrypts with the first key and knows the others', () => {
    const ring = KeyRing.parse(`new:${k1},old:${k2}`);
    expect(ring.current().kid).toBe('new');
    expect(ring.byId('old')?.kid).toBe('old');
    expect(ring.byId('older')).toBeNull();
  });

  it('derives the same key for a purpose every time, and another one for another purpose or key', () => {
    const [a, again] = [KeyRing.parse(`a:${k1}`), KeyRing.parse(`a:${k1}`)];
    expect(a.current().deriveKey('tokens')).toHaveLength(32);
    expect(a.current().deriveKey('tokens')).toEqual(again.current().deriveKey('tokens'));
    expect(a.current().deriveKey('tokens')).not.toEqual(a.current().deriveKey('field-encryption'));
    expect(a.current().deriveKey('tokens')).not.toEqual(KeyRing.parse(`a:${k2}`).current().deriveKey('tokens'));
  });

  it('N64 names every problem at once, and no key material', () => {
    const short = randomBytes(16).toString('base64');
    const text = `a:${k1},a:${k2},b:${short},nocolon,c:***,d:${Buffer.alloc(32).toString('base64')},e:${k1}`;
    let error: unknown;
    try {
      KeyRing.parse(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(KeyRingError);
    expect((error as KeyRingError).problems).toEqual([
      'entry 2 repeats the key id a',
      'entry 3 (b) has 16 bytes instead of 32',
      expect.stringContaining('entry 4 must be <key id>:<base64>'),
      'entry 5 (c) is not base64',
      'entry 6 (d) is not random',
      'entry 7 (e) repeats the key of another entry',
    ]);
    expect((error as Error).message).not.toContain(k1.slice(0, 12));
  });

  it.each(['', ' ', ',', 'k1:'])('refuses %j', (text) => {
    expect(() => KeyRing.parse(text)).toThrow(KeyRingError);
  });

  it('generates an entry that it accepts', () => {
    expect(KeyRing.parse(KeyRing.generateEntry('2026-11')).current().kid).toBe('2026-11');
  });

  it('N55 prints no key material', () => {
    const ring = KeyRing.parse(`a:${k1}`);
    ring.current().deriveKey('tokens');
    expect(inspect(ring, { depth: 9 })).not.toMatch(/<Buffer|deriv/);
    expect(JSON.stringify(ring.current())).toBe('{"kid":"a"}');
  });
});
