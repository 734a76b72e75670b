import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import ICAL from 'ical.js';
import { IcsDocument, IcsSyntaxError, unescapeText } from './index.js';
import type { EditableComponent, IcsComponent } from './index.js';

const FOLDER = join(import.meta.dirname, '../corpus');
/** Objects in the style of Apple, Google, Outlook, Thunderbird, Nextcloud and Evolution. */
const CORPUS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ics'))
  .map((name): [string, Buffer] => [name, readFileSync(join(FOLDER, name))]);

type Jcal = [string, [string, Record<string, unknown>, string, ...unknown[]][], Jcal[]];

const every = (component: EditableComponent): EditableComponent[] => [
  component,
  ...component.components.flatMap(every),
];
const meaning = (component: IcsComponent): unknown => [
  component.name,
  component.properties.map(({ line }) => line),
  component.components.map(meaning),
];

/** A corpus object after what servers, mail gateways and disks do to such texts. */
const damaged = fc
  .record({
    source: fc.constantFrom(...CORPUS.map(([, bytes]) => bytes)),
    eol: fc.constantFrom('\r\n', '\n', '\r', '\r\r\n'),
    folds: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(' ', '\t')), {
      maxLength: 60,
    }),
    hasMark: fc.boolean(),
    hasFinalEol: fc.boolean(),
  })
  .map(({ source, eol, folds, hasMark, hasFinalEol }) => {
    const whole = source
      .toString('latin1')
      .replace(/\r?\n[ \t]/g, '')
      .split(/\r?\n/)
      .slice(0, -1);
    const lines = whole.map((line, index) => {
      const cuts = folds
        .filter(([place]) => Math.floor(place * (whole.length - 1)) === index && line.length > 1)
        .map(([place, blank]) => ({ at: 1 + Math.floor((place * 7919 * line.length) % (line.length - 1)), blank }))
        .sort((x, y) => y.at - x.at);
      return cuts.reduce((text, { at, blank }) => text.slice(0, at) + eol + blank + text.slice(at), line);
    });
    const text = lines.join(eol) + (hasFinalEol ? eol : '');
    return { source, bytes: Buffer.from((hasMark ? '\xef\xbb\xbf' : '') + text, 'latin1') };
  });

/** Any octets in any places, as long as there is still something to parse. */
const broken = fc
  .tuple(damaged, fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.uint8Array({ maxLength: 8 })), { maxLength: 20 }))
  .map(([{ bytes }, splices]) =>
    splices.reduce((text, [place, removed, inserted]) => {
      const at = place % (text.length + 1);
      return Buffer.concat([text.subarray(0, at), inserted, text.subarray(at + removed)]);
    }, bytes),
  );

function parsed(source: Buffer | string): IcsDocument | null {
  try {
    return IcsDocument.parse(source);
  } catch (error) {
    if (error instanceof IcsSyntaxError) return null; // no VCALENDAR left, or nested too deep
    throw error;
  }
}

describe('IcsDocument over a corpus', () => {
  it('gives back every text that it parses, byte for byte', () => {
    fc.assert(
      fc.property(broken, (bytes) => {
        const document = parsed(bytes);
        if (document) expect(document.toBytes().equals(bytes)).toBe(true);
        const text = bytes.toString();
        expect(parsed(text)?.toBytes().toString() ?? text).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  it('gives it back also when every property was set to what it was', () => {
    const check = (bytes: Buffer, isSettable: RegExp) => {
      const document = parsed(bytes);
      for (const component of document?.calendars.flatMap(every) ?? []) {
        for (const property of component.properties) {
          if (isSettable.test(property.value)) component.replaceProperty(property, property.value);
        }
      }
      if (document) expect(document.toBytes().equals(bytes)).toBe(true);
    };
    fc.assert(
      fc.property(damaged, ({ bytes }) => check(bytes, /^/)),
      { numRuns: 100 },
    );
    // Values with control characters are read but not written; octets that are no UTF-8 are written as UTF-8.
    fc.assert(
      fc.property(broken, (bytes) => check(bytes, /^[\t\x20-\x7e]*$/)),
      { numRuns: 100 },
    );
  });

  it('N50 reads the same out of every folding and line end, mark or none', () => {
    fc.assert(
      fc.property(damaged, ({ source, bytes }) => {
        const expected = IcsDocument.parse(source).calendars.map(meaning);
        expect(IcsDocument.parse(bytes).calendars.map(meaning)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it('changes one line and no other octet', () => {
    const titles = fc.string({ unit: fc.constantFrom(...'aZ0 ,;:"\\^\tß€日🎂\u0301\u200d'), maxLength: 200 });
    fc.assert(
      fc.property(damaged, fc.nat(), titles, ({ bytes }, place, value) => {
        const document = IcsDocument.parse(bytes);
        const components = document.calendars.flatMap(every);
        const component = components[place % components.length]!;
        component.addProperty('X-ADDED', value);
        const changed = document.toBytes();
        expect(changed.length).toBeGreaterThan(bytes.length);
        const again = IcsDocument.parse(changed);
        const found = again.calendars.flatMap(every)[place % components.length];
        expect(found?.property('X-ADDED')?.value).toBe(value);
        component.removeProperties('X-ADDED');
        found?.removeProperties('X-ADDED');
        expect(document.toBytes().equals(bytes)).toBe(true);
        expect(again.toBytes().equals(bytes)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it.each(CORPUS)('reads %s as ical.js does', (_, bytes) => {
    const compare = (ours: IcsComponent, [name, properties, components]: Jcal) => {
      expect(ours.name).toBe(name.toUpperCase());
      expect(ours.properties.map((property) => property.name)).toEqual(properties.map(([key]) => key.toUpperCase()));
      for (const [index, [, parameters, type, ...values]] of properties.entries()) {
        const property = ours.properties[index]!;
        if (type === 'text' && values.every((value) => typeof value === 'string')) {
          const texts = (values.length > 1 ? property.value.split(/(?<!\\),/) : [property.value]).map(unescapeText);
          expect(texts).toEqual(values);
        }
        for (const [key, value] of Object.entries(parameters)) {
          // ical.js unescapes what iCloud puts into X-ADDRESS as it is.
          if (typeof value === 'string' && key !== 'x-address')
            expect(property.parameterValues(key).join()).toBe(value);
        }
      }
      for (const [index, component] of components.entries()) compare(ours.components[index]!, component);
      expect(ours.components).toHaveLength(components.length);
    };
    compare(IcsDocument.parse(bytes).calendars[0]!, ICAL.parse(bytes.toString()));
  });
});
