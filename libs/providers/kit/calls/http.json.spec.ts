import fc from 'fast-check';
import { EgressError } from '#egress';
import { readJsonObject } from './http.js';

const MIB = 1024 * 1024;
const filled = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / unit.length));
const messageOf = (body: string) =>
  readJsonObject(Buffer.from(body)).catch((error: unknown) => {
    if (error instanceof EgressError) return error.failure;
    throw error;
  });

describe('an answer of JSON', () => {
  it.each([
    ['empty arrays', `{"a":[${filled('[],', 20 * MIB)}[]]}`],
    ['numbers', `{"a":[${filled('1,', 20 * MIB)}1]}`],
    ['levels', `{"a":${'['.repeat(5 * MIB)}${']'.repeat(5 * MIB)}}`],
    ['members', `{${filled('"a":1,', 20 * MIB)}"a":1}`],
    ['one large item', `{"a":[{"b":[${filled('[],', MIB)}[]]}]}`],
  ])('N51 made of %s is refused before it takes the memory', async (_, text) => {
    expect(await messageOf(text)).toBe('too-large');
  });

  it('lets others have their turns while it is read', async () => {
    const items = Array.from({ length: 2_500 }, (_, id) => ({ id, description: 'a, b, [c] '.repeat(1_200) }));
    const body = Buffer.from(JSON.stringify({ items, next: 'token' }));
    let turns = 0;
    const count = () => {
      turns += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    expect(await readJsonObject(body)).toEqual({ items, next: 'token' });
    clearImmediate(immediate);
    expect(turns).toBeGreaterThan(5);
  });

  it('is the same read in pieces as at once', async () => {
    // No backslash in a name: of JSON.parse('{"\\\\\\"":1}') and then '{"\\"T":1}' V8 14.6 gives the second object the name of the first.
    const stringUnit = fc.constantFrom(...' !"#$%&/09:;AZ[]^_`az{|}~ä');
    const name = fc.oneof(fc.constantFrom('items', 'value', '__proto__', '"', 'ä'), fc.string({ unit: stringUnit }));
    const value = fc.oneof(fc.constantFrom('\\', '\\"', '"\\', '\\\\"'), fc.jsonValue({ stringUnit }));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, fc.oneof(fc.array(value), value)), async (object) => {
        for (const text of [JSON.stringify(object), JSON.stringify(object, null, 2)]) {
          expect(JSON.stringify(await readJsonObject(Buffer.from(text), 0))).toBe(JSON.stringify(JSON.parse(text)));
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    '',
    'x',
    '[]',
    '[[1]]',
    '"a"',
    'null',
    '{',
    '{"a":[1}',
    '{"a":[1,]}',
    '{"a":[,1]}',
    '{"a":[1]]',
    '{"a":["',
    '}{',
  ])('is refused when it is no object: %s', async (text) => {
    await expect(readJsonObject(Buffer.from(text))).rejects.toMatchObject({ failure: 'invalid-response' });
    await expect(readJsonObject(Buffer.from(text), 0)).rejects.toMatchObject({ failure: 'invalid-response' });
  });

  it.each([
    ['\\ud800', '\ufffd'],
    ['\\uDC00x', '\ufffdx'],
    ['\\ud83d\\udcc5', '📅'],
    ['\\udcc5\\ud83d', '\ufffd\ufffd'],
    ['\\ud83d\\ud83d\\udcc5', '\ufffd📅'],
    ['\\\\ud800', '\\ud800'],
    ['\\\\\\ud800\\n', '\\\ufffd\n'],
    ['\\ud7ff\\ue000', '\ud7ff\ue000'],
  ])('has no half of a surrogate pair: %s', async (escaped, text) => {
    for (const smallBytes of [undefined, 0]) {
      const body = Buffer.from(`{"a":["${escaped}"],"${escaped}":1}`);
      expect(await readJsonObject(body, smallBytes)).toEqual({ a: [text], [text]: 1 });
    }
  });

  it('has the last of members with one name', async () => {
    expect(await readJsonObject(Buffer.from('{"a":[1],"a":[2],"b":[]}'), 0)).toEqual({ a: [2], b: [] });
  });
});
