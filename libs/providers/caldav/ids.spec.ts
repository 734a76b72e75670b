import fc from 'fast-check';
import type { CalendarCollection } from './dav/contract.js';
import { comparablePath, requestPath } from './dav/hrefs.js';
import { calendarIdOfPath, eventIdOfPath, hrefOfEventId, pathOfCalendarId, splitEventId } from './ids.js';

const collection = { href: '/cal/alice%40example.test/work/' } as CalendarCollection;
const base = '/cal/alice@example.test/work/';

describe('calendar ids', () => {
  it('come back as the path, with a trailing slash', () => {
    expect(pathOfCalendarId(calendarIdOfPath('/cal/ä b/x'))).toBe('/cal/ä b/x/');
  });

  it('are the same however the server escapes', () => {
    const spellings = ['/cal/alice%40x/%c3%a9/', '/cal/alice@x/é/', '/cal/alice%40x/%C3%A9/'];
    expect(new Set(spellings.map((path) => calendarIdOfPath(comparablePath(path)))).size).toBe(1);
  });

  it('never contain an underscore', () => {
    fc.assert(
      fc.property(fc.webPath(), (path) => {
        const id = calendarIdOfPath(comparablePath(path));
        expect(id).toMatch(/^[A-Za-z0-9~-]+$/);
      }),
    );
  });
});

describe('event ids', () => {
  it('come back as an href below the collection', () => {
    const id = eventIdOfPath(collection, `${base}Ä 1%2F?.ics`);
    expect(id).not.toBeNull();
    expect(hrefOfEventId(collection, id!)).toBe('/cal/alice%40example.test/work/%C3%84%201%2F%3F.ics');
  });

  it('hold the whole path of an object outside of its collection', () => {
    const id = eventIdOfPath(collection, '/other/place/x.ics');
    expect(hrefOfEventId(collection, id!)).toBe('/other/place/x.ics');
  });

  it('are refused for the collection itself and below sub-collections', () => {
    expect(eventIdOfPath(collection, base)).toBeNull();
    expect(eventIdOfPath(collection, base.slice(0, -1))).toBeNull();
    expect(eventIdOfPath(collection, `${base}sub/x.ics`)).toBeNull();
  });

  const encode = (text: string): string => Buffer.from(text).toString('base64url').replaceAll('_', '~');
  it.each([
    ['a dot segment', encode('..')],
    ['a way up', encode('../../etc/passwd')],
    ['an escaped way up', encode('%2e%2e/%2e%2e/x')],
    ['a slash', encode('a/b')],
    ['an escaped slash in lower case', encode('a%2fb')],
    ['a line end', encode('a\r\nHost: evil')],
    ['an absolute URL', encode('https://evil.test/x')],
    ['an outside path that climbs', encode('\u0000/a/../b')],
    ['an outside path to another host', encode('\u0000//evil.test/x')],
    ['an outside path with a query it escapes', encode('\u0000/a?b#c\u0001')],
    ['something that is no base64', '%2e%2e%2f'],
    ['an underscore', 'YQ_'],
    ['a second spelling', 'YR'],
    ['nothing', ''],
    ['far too much', 'A'.repeat(3_000)],
  ])('N19 %s is no event id', (_name, id) => {
    expect(hrefOfEventId(collection, id)).toBeNull();
    expect(pathOfCalendarId(id)).toBeNull();
  });

  it('N19 a query in an outside path is part of the path', () => {
    expect(hrefOfEventId(collection, encode('\u0000/a?b#c'))).toBe('/a%3Fb%23c');
  });
});

describe('splitEventId', () => {
  it.each([
    ['abc', 'abc', null],
    ['abc_20260101', 'abc', '20260101'],
    ['abc_20260101T090000Z', 'abc', '20260101T090000Z'],
    ['abc_20260101T090000', 'abc', '20260101T090000'],
    ['abc_2026', 'abc_2026', null],
  ])('%s', (id, eventId, instanceDate) => {
    expect(splitEventId(id)).toEqual({ eventId, instanceDate });
  });
});

describe('comparablePath', () => {
  it('never makes two paths alike, and comes back', () => {
    fc.assert(
      fc.property(fc.webPath({ size: 'medium' }), (path) => {
        const comparable = comparablePath(path);
        expect(comparablePath(comparable)).toBe(comparable);
        expect(comparablePath(requestPath(comparable))).toBe(comparable);
      }),
    );
  });

  it.each([
    ['/a%2Fb', '/a%2Fb'],
    ['/a%252Fb', '/a%252Fb'],
    ['/100%25', '/100%25'],
    ['/%c3%a9', '/é'],
    ['/%ff%2f', '/%FF%2F'],
    ['/%0d%0a', '/%0D%0A'],
  ])('%s is %s', (path, comparable) => {
    expect(comparablePath(path)).toBe(comparable);
  });
});
