import { feedIdOf, normalizeFeedUrl } from './feed-url.js';

describe('the address of a feed', () => {
  it.each([
    ['webcal://Example.test/a.ics', 'https://example.test/a.ics'],
    ['webcals://example.test/a.ics?key=A%2FB', 'https://example.test/a.ics?key=A%2FB'],
    ['WEBCAL://example.test/a', 'https://example.test/a'],
    [' https://example.test:443/a.ics#today ', 'https://example.test/a.ics'],
    ['example.test/a.ics', 'https://example.test/a.ics'],
    ['//example.test/a.ics', 'https://example.test/a.ics'],
    ['example.test:8443/a.ics', 'https://example.test:8443/a.ics'],
    ['http://127.0.0.1:8080/a', 'http://127.0.0.1:8080/a'],
  ])('%j is %s', (typed, url) => expect(normalizeFeedUrl(typed).href).toBe(url));

  it.each([
    ['', 'ValidationFailed'],
    ['https://', 'ValidationFailed'],
    ['a b', 'ValidationFailed'],
    ['ftp://example.test/secretpath', 'ServerNotAllowed'],
    ['file:///etc/secretpath', 'ServerNotAllowed'],
    ['javascript:secretpath', 'ServerNotAllowed'],
    ['webcal://me:secretpath@example.test/', 'ServerNotAllowed'],
  ])('%j is refused with %s, and not repeated', (typed, code) => {
    expect(() => normalizeFeedUrl(typed)).toThrow(expect.objectContaining({ code }));
    expect(() => normalizeFeedUrl(typed)).not.toThrow(/secretpath/);
  });

  it('is known by a hash, of the application', () => {
    const url = normalizeFeedUrl('webcal://example.test/a.ics');
    expect(feedIdOf('one', url)).toBe(feedIdOf('one', normalizeFeedUrl('https://EXAMPLE.test/a.ics#x')));
    expect(feedIdOf('one', url)).not.toBe(feedIdOf('two', url));
    expect(feedIdOf('one', url)).toMatch(/^[A-Za-z0-9~-]{32}$/);
  });
});
