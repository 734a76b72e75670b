import { mayAdoptByDomain } from './flavor.js';
import { normalizeServerUrl } from './server-address.js';

describe('normalizeServerUrl', () => {
  it.each([
    ['dav.example.com', 'https://dav.example.com/'],
    ['  HTTPS://Dav.Example.COM:443/Path ', 'https://dav.example.com/Path/'],
    ['dav.example.com:8443/dav', 'https://dav.example.com:8443/dav/'],
    ['//dav.example.com/', 'https://dav.example.com/'],
    ['https://dav.example.com/a?b=c', 'https://dav.example.com/a/?b=c'],
    ['http://dav.example.com', 'http://dav.example.com/'],
    ['müller.example', 'https://xn--mller-kva.example/'],
  ])('%s is %s', (typed, normalized) => {
    expect(normalizeServerUrl(typed).href).toBe(normalized);
    expect(normalizeServerUrl(normalized).href).toBe(normalized);
  });

  it.each([
    ['ftp://dav.example.com', 'ServerNotAllowed'],
    ['javascript:alert(1)', 'ServerNotAllowed'],
    ['https://a:b@dav.example.com', 'ServerNotAllowed'],
    ['https://a@dav.example.com', 'ServerNotAllowed'],
    ['https://dav.example.com#x', 'ServerNotAllowed'],
    ['', 'ValidationFailed'],
    ['https://', 'ValidationFailed'],
    ['not an address', 'ValidationFailed'],
    ['calendar.google.com', 'ValidationFailed'],
    ['https://WWW.iCloud.com./', 'ValidationFailed'],
  ])('N26 %s is %s', (typed, code) => {
    expect(() => normalizeServerUrl(typed)).toThrow(expect.objectContaining({ code }));
  });
});

describe('mayAdoptByDomain', () => {
  it.each([
    ['https://dav.example.co.uk/', 'https://example.co.uk/', true],
    ['https://example.co.uk:8443/', 'https://dav.example.co.uk/', true],
    ['https://evil.co.uk/', 'https://example.co.uk/', false],
    ['https://mallory.github.io/', 'https://alice.github.io/', false],
    ['https://example.com.evil.test/', 'https://example.com/', false],
    ['http://dav.example.com/', 'https://example.com/', false],
    ['https://dav.example.com/', 'http://example.com/', true],
    ['https://192.0.2.1/', 'https://192.0.2.1:8443/', true],
    ['https://192.0.2.2/', 'https://192.0.2.1/', false],
    ['https://b.unlisted/', 'https://a.unlisted/', false],
    ['https://com/', 'https://net/', false],
  ])('N28 %s for credentials of %s: %s', (candidate, given, expected) => {
    expect(mayAdoptByDomain(new URL(candidate), new URL(given))).toBe(expected);
  });
});
