import { allMethods, findRoute } from './discovery.js';

describe('findRoute', () => {
  it('finds every method of the API by its own path', () => {
    for (const method of allMethods()) {
      const parameters = Object.fromEntries(
        [...method.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, `${name}/?#@ é%2F`]),
      );
      const expanded = method.path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(parameters[name] ?? ''),
      );
      expect(findRoute(method.httpMethod, expanded)).toEqual({ method, path: parameters });
    }
  });

  it('prefers a name to a parameter', () => {
    expect(findRoute('GET', 'users/me/calendarList')).toMatchObject({ method: { id: 'calendar.calendarList.list' } });
    expect(findRoute('POST', 'calendars/a/events/import')).toMatchObject({ method: { id: 'calendar.events.import' } });
  });

  it.each([
    ['PUT', 'calendars/a/events', 'wrong-method'],
    ['GET', 'calendar/a/events', 'unknown'],
    ['GET', 'calendars/a/events/', 'unknown'],
    ['GET', 'calendars//events', 'unknown'],
    ['GET', 'calendars/%E9/events', 'unknown'],
    ['GET', '', 'unknown'],
  ])('%s %s: %s', (httpMethod, path, routed) => {
    expect(findRoute(httpMethod, path)).toBe(routed);
  });
});
