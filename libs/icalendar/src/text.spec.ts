import fc from 'fast-check';
import { decodeParameter, encodeParameter, escapeText, IcsValueError, unescapeText } from './index.js';

describe('TEXT', () => {
  it('escapes what RFC 5545 names and nothing else', () => {
    expect(escapeText('a\\b;c,d\ne\r\nf\rg:"h"\t')).toBe('a\\\\b\\;c\\,d\\ne\\nf\\ng:"h"\t');
    expect(escapeText('bell\x07 nul\0 soft\vbreak')).toBe('bell nul soft\\nbreak');
    expect(escapeText('plain ü')).toBe('plain ü');
  });

  it('unescapes either case of n, and takes other escapes for the character itself', () => {
    expect(unescapeText('a\\nb\\Nc\\\\n\\;\\,\\"\\:\\')).toBe('a\nb\nc\\n;,":\\');
  });

  it('comes back from escaping as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'\\n,;N:\n"a') }), (text) => {
        expect(unescapeText(escapeText(text))).toBe(text);
      }),
    );
  });
});

describe('parameter values', () => {
  it('are quoted for separators and encoded by RFC 6868', () => {
    expect(encodeParameter('a')).toBe('a');
    expect(encodeParameter('Doe, Jane')).toBe('"Doe, Jane"');
    expect(encodeParameter('^ "x"\r\n')).toBe(`"^^ ^'x^'^n"`);
    expect(decodeParameter("^^n^'^n^x^")).toBe('^n"\n^x^');
    expect(() => encodeParameter('\0')).toThrow(IcsValueError);
  });

  it('come back from encoding as they were', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'^n\'"\n,;:a') }), (text) => {
        const encoded = encodeParameter(text);
        expect(decodeParameter(encoded.startsWith('"') ? encoded.slice(1, -1) : encoded)).toBe(text);
      }),
    );
  });
});
