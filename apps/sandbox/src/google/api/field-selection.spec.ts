import { selectFields } from './field-selection.js';
import { IncorrectRequest } from './google-error.js';

const ANSWER = {
  kind: 'calendar#events',
  nextPageToken: 'p',
  items: [
    {
      id: 'a',
      start: { dateTime: 'x', timeZone: 'y' },
      end: { date: 'z' },
      extendedProperties: { private: { k: 'v' } },
    },
    { id: 'b', summary: 's' },
  ],
};

describe('selectFields', () => {
  it.each<[string, unknown]>([
    ['nextPageToken', { nextPageToken: 'p' }],
    ['kind,nextPageToken', { kind: 'calendar#events', nextPageToken: 'p' }],
    ['items/id', { items: [{ id: 'a' }, { id: 'b' }] }],
    ['items(id,start/dateTime)', { items: [{ id: 'a', start: { dateTime: 'x' } }, { id: 'b' }] }],
    ['items/start/dateTime,items/start/timeZone', { items: [{ start: ANSWER.items[0]?.start }, {}] }],
    ['items(start/*,id)', { items: [{ id: 'a', start: ANSWER.items[0]?.start }, { id: 'b' }] }],
    ['items/extendedProperties/private/k', { items: [{ extendedProperties: { private: { k: 'v' } } }, {}] }],
    ['items,items/id', { items: ANSWER.items }],
    ['*', ANSWER],
  ])('%s', (fields, selected) => {
    expect(selectFields(fields, 'Events', ANSWER)).toEqual(selected);
  });

  it.each([
    '',
    ',',
    'items(',
    'items(id',
    'items)',
    'items/',
    'items id',
    'nothing',
    'items/name',
    'kind/id',
    '__proto__',
  ])('refuses %j', (fields) => {
    expect(() => selectFields(fields, 'Events', ANSWER)).toThrow(IncorrectRequest);
  });

  it('reads selections of any depth without running out of stack', () => {
    expect(() => selectFields('items('.repeat(3_000), 'Events', ANSWER)).toThrow(IncorrectRequest);
  });
});
