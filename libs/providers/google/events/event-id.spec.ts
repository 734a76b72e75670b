import { checkEventId, derivedEventId, randomEventId } from './event-id.js';

describe('ids of events', () => {
  it('are such as Google takes, and hold no underscore', () => {
    for (let at = 0; at < 50; at += 1) expect(randomEventId()).toMatch(/^[a-v0-9]{32}$/);
    expect(derivedEventId('create', 'app', null)).toMatch(/^[a-v0-9]{32}$/);
  });

  it('F23 follow from the facts of a request, and from all of them', () => {
    expect(derivedEventId('a', 'b')).toBe(derivedEventId('a', 'b'));
    const others = [
      derivedEventId('a', 'b'),
      derivedEventId('ab'),
      derivedEventId('a', 'b', null),
      derivedEventId('b', 'a'),
    ];
    expect(new Set(others).size).toBe(others.length);
    expect(randomEventId()).not.toBe(randomEventId());
  });

  it.each(['', '..', 'a/b', 'a?b', 'a#b', 'a b', '\r\nX', 'ü', 'x'.repeat(1_025)])(
    'are never asked for when they are %j',
    (id) => {
      expect(() => checkEventId(id)).toThrow(expect.objectContaining({ code: 'NotFound' }));
    },
  );

  it.each(['abc12', 'abc_20261207T080000Z', 'abc_R20261214T080000', '_6koj', '2026-x'])('may be %s', (id) => {
    expect(checkEventId(id)).toBe(id);
  });
});
