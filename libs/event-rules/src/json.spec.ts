import { isSameJson } from './json.js';

describe('isSameJson', () => {
  class Meeting {
    joinUrl = 'https://meet.example/';
  }

  it.each([
    [new Meeting(), { joinUrl: 'https://meet.example/', conferenceId: undefined }, true],
    [{ b: [1], a: null }, { a: null, b: [1] }, true],
    [undefined, undefined, true],
    [undefined, {}, false],
    [{ a: null }, {}, false],
    [{ a: [1, 2] }, { a: [2, 1] }, false],
  ])('of %j and %j: %s', (one, other, isSame) => {
    expect(isSameJson(one, other)).toBe(isSame);
  });
});
