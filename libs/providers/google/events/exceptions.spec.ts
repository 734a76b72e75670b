import { patchBetween } from './exceptions.js';

describe('patchBetween', () => {
  it.each([
    [{ a: 1 }, { a: 1 }, {}],
    [
      { a: 1, b: 2 },
      { b: 3, c: 4 },
      { a: null, b: 3, c: 4 },
    ],
    [{ a: null }, {}, {}],
    [{ a: 1 }, { a: undefined }, { a: null }],
    [
      { shared: { a: '1', b: '2' }, same: { x: 1 } },
      { shared: { b: '3' }, same: { x: 1 } },
      { shared: { a: null, b: '3' } },
    ],
    [{ list: [1, 2] }, { list: [2] }, { list: [2] }],
    [{ a: { b: 1 } }, { a: 'text' }, { a: 'text' }],
  ])('makes of %j %j by %j', (before, after, patch) => expect(patchBetween(before, after)).toEqual(patch));

  it('takes any name for a name', () => {
    const patch = patchBetween({}, JSON.parse('{"__proto__":"x"}') as object);
    expect(JSON.stringify(patch)).toBe('{"__proto__":"x"}');
  });
});
