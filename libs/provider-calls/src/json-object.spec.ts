import { EgressError } from '#egress';
import { jsonObject } from './json-object.js';

describe('an answer of JSON', () => {
  const MIB = 1024 * 1024;
  const filled = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / unit.length));

  it.each([
    ['empty arrays', `{"a":[${filled('[],', 20 * MIB)}[]]}`],
    ['numbers', `{"a":[${filled('1,', 20 * MIB)}1]}`],
    ['levels', `{"a":${'['.repeat(5 * MIB)}${']'.repeat(5 * MIB)}}`],
  ])('N51 made of %s is refused before it takes the memory', (_, text) => {
    const body = Buffer.from(text);
    let error: unknown;
    try {
      jsonObject(body);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(EgressError);
    expect(error).toMatchObject({ failure: 'too-large' });
  });

  it('is read when it is merely long', () => {
    const items = Array.from({ length: 2_500 }, (_, id) => ({ id, description: 'a, b, c '.repeat(500) }));
    expect(jsonObject(Buffer.from(JSON.stringify({ items })))).toEqual({ items });
  });

  it.each(['', 'x', '[]', '"a"', 'null', '{'])('is refused when it is no object: %s', (text) => {
    expect(() => jsonObject(Buffer.from(text))).toThrow(EgressError);
  });
});
