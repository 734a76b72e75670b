import fc from 'fast-check';
import { responseText } from './sender.js';

describe('responseText', () => {
  it.each([
    ['text', Buffer.from('Größe: 1 📅\r\n\tok'), 'Größe: 1 📅\r\n\tok'],
    ['nothing', Buffer.alloc(0), ''],
    ['NUL and control characters', Buffer.from('a\0b\x1b[31mc\x7f\x85'), 'a\ufffdb\ufffd[31mc\ufffd\ufffd'],
    ['marks of direction', Buffer.from('\u202egnp.exe\u2066\u200f'), '\ufffdgnp.exe\ufffd\ufffd'],
    ['what is not UTF-8', Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]), 'a\ufffd\ufffd(\ufffd\ufffd\ufffd'],
    ['half a character at its end', Buffer.from([0x61, 0xf0, 0x9f]), 'a\ufffd'],
    ['a byte order mark', Buffer.from('\ufeffok'), 'ok'],
  ])('stores %s', (_name, bytes, text) => expect(responseText(bytes, 1_024)).toBe(text));

  it('cuts between two characters', () => {
    expect(responseText(Buffer.from('abcé'), 4)).toBe('abc');
    expect(responseText(Buffer.from('abcé'), 5)).toBe('abcé');
    expect(responseText(Buffer.from('📅📅'), 7)).toBe('📅');
    expect(responseText(Buffer.alloc(10, 0), 7)).toBe('\ufffd\ufffd');
  });

  it('is text within its bound, whatever comes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat({ max: 100 }), (bytes, maxBytes) => {
        const text = responseText(bytes, maxBytes);
        expect(text.isWellFormed()).toBe(true);
        expect(text.replace(/[\t\n\r]/g, '')).not.toMatch(/\p{Cc}/u);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });
});
