import { etagOf, includesJson } from './json.js';

describe('includesJson', () => {
  class Part {
    joinUrl = 'x';
    conferenceId = undefined;
  }

  it.each([
    [{ joinUrl: 'x', conferenceType: 'addOn' }, new Part(), true],
    [{ details: { entryPoints: [{ uri: 'x', label: 'l' }] } }, { details: { entryPoints: [{ uri: 'x' }] } }, true],
    [{ entryPoints: [{ uri: 'x' }] }, { entryPoints: [] }, true],
    [{ entryPoints: [{ uri: 'x' }] }, { entryPoints: [{ uri: 'x' }, { uri: 'y' }] }, false],
    [{ joinUrl: 'x' }, { joinUrl: 'y' }, false],
    [{ joinUrl: 'x' }, { toString: 'x' }, false],
    [undefined, {}, false],
  ])('of %j and %j: %s', (whole, part, isIncluded) => {
    expect(includesJson(whole, part)).toBe(isIncluded);
  });
});

describe('etagOf', () => {
  it.each(['"3181161784712000"', 'W/"x"', 'plain', '"müll"'])('takes %s', (etag) => expect(etagOf(etag)).toBe(etag));

  it.each(['', '"€"', '"a\r\nb"', '\ufffd', 7, null, undefined, 'a'.repeat(1_001)])('drops %j', (etag) =>
    expect(etagOf(etag)).toBe(null),
  );
});
