import { FieldCipher, FieldCipherError, headerOf, keyIdOf, KeyRing } from './field-cipher.js';

const [a, b] = [KeyRing.generateEntry('a'), KeyRing.generateEntry('b')];
const cipher = new FieldCipher(KeyRing.parse(a));
const here = { table: 'credential', column: 'secret', rowId: '1' };
const clear = Buffer.from('hunter2 ünïcödé');

describe('FieldCipher', () => {
  it('opens what it sealed', () => {
    expect(cipher.open(here, cipher.seal(here, clear))).toEqual(clear);
    expect(cipher.openJson(here, cipher.sealJson(here, { a: [1, null] }))).toEqual({ a: [1, null] });
    expect(cipher.open(here, cipher.seal(here, Buffer.alloc(0)))).toHaveLength(0);
  });

  it('T9 never uses a nonce twice and carries the key id in the header', () => {
    const sealed = Array.from({ length: 2_000 }, () => cipher.seal(here, clear));
    expect(new Set(sealed.map((value) => value.subarray(3, 15).toString('hex'))).size).toBe(2_000);
    expect(keyIdOf(sealed[0] as Buffer)).toBe('a');
    expect((sealed[0] as Buffer).subarray(0, 3)).toEqual(headerOf('a'));
  });

  it.each([
    { ...here, rowId: '2' },
    { ...here, column: 'response' },
    { ...here, table: 'private_property' },
  ])('T9 does not open at %j', (elsewhere) => {
    expect(() => cipher.open(elsewhere, cipher.seal(here, clear))).toThrow(FieldCipherError);
  });

  it('T9 rejects a change of any single bit', () => {
    const sealed = cipher.seal(here, clear);
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const bent = Buffer.from(sealed);
      bent[bit >> 3] = (bent[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => cipher.open(here, bent)).toThrow(FieldCipherError);
    }
  });

  it('T9 has no fallback: clear text, cut-off text and unknown keys are errors', () => {
    const sealed = cipher.seal(here, clear);
    expect(() => cipher.open(here, clear)).toThrow('is no ciphertext');
    expect(() => cipher.open(here, sealed.subarray(0, 20))).toThrow('is no ciphertext');
    expect(() => cipher.open(here, sealed.subarray(0, -1))).toThrow('does not open');
    expect(() => new FieldCipher(KeyRing.parse(b)).open(here, sealed)).toThrow('unknown key a');
  });

  it('opens with an older key of the ring and seals with the first', () => {
    const rotated = new FieldCipher(KeyRing.parse(`${b},${a}`));
    expect(rotated.open(here, cipher.seal(here, clear))).toEqual(clear);
    expect(keyIdOf(rotated.seal(here, clear))).toBe('b');
  });
});
