import { onClock } from '#providers/kit/series';
import { assertBetweenNeighbours } from './neighbours.js';

const ZONE = 'Europe/Berlin';
const at = (local: string) => onClock(`2027-03-${local}:00`, ZONE);
const day = (date: string) => ({ kind: 'date' as const, date: `2027-03-${date}` });
const series = (rule: string) => ({ start: at('01T09:00'), end: at('01T10:00'), recurrence: [`RRULE:FREQ=${rule}`] });
const stays = (place: string, start: string) => ({ place: at(place), start: at(start) });
const WEEKLY = series('WEEKLY;COUNT=4');
const DAILY = series('DAILY;COUNT=25');

const check = (after: typeof WEEKLY, ...moves: [place: string, start: string][]) => {
  const instances = moves.map(([place, start]) => ({ before: stays(place, start), after: stays(place, start) }));
  return () => assertBetweenNeighbours(instances, WEEKLY, after, ZONE);
};
const conflict = expect.objectContaining({
  code: 'Conflict',
  message: expect.stringContaining('20270308T080000Z'),
}) as unknown as Error;

describe('a changed instance of a changed series', () => {
  it.each([
    ['later', '11T09:00'],
    ['earlier', '05T09:00'],
    ['onto the next day', '09T09:00'],
    ['onto the day before', '07T23:30'],
  ])('is not put past a neighbour: %s', (_, start) => {
    expect(check(DAILY, ['08T09:00', start])).toThrow(conflict);
    expect(check(WEEKLY, ['08T09:00', start])).not.toThrow();
  });

  it('may move on its own day, beside neighbours that are changed as well, and where it was past one already', () => {
    expect(check(DAILY, ['08T09:00', '08T23:00'])).not.toThrow();
    expect(check(DAILY, ['08T09:00', '09T09:00'], ['09T09:00', '09T10:00'])).not.toThrow();
    expect(check(series('WEEKLY;COUNT=3'), ['08T09:00', '17T09:00'])).not.toThrow();
  });

  it('is not past the night before, which ends on its day', () => {
    const nights = { start: at('01T23:00'), end: at('02T04:00'), recurrence: ['RRULE:FREQ=DAILY;INTERVAL=2;COUNT=9'] };
    const move = { place: at('05T23:00'), start: at('04T23:00') };
    expect(() => assertBetweenNeighbours([{ before: move, after: move }], WEEKLY, nights, ZONE)).not.toThrow();
    const onto = { place: at('05T23:00'), start: at('03T23:00') };
    expect(() => assertBetweenNeighbours([{ before: move, after: onto }], WEEKLY, nights, ZONE)).toThrow('Outlook');
  });

  it('of days keeps its day in every zone', () => {
    const days = { start: day('01'), end: day('02'), recurrence: ['RRULE:FREQ=DAILY;INTERVAL=2;COUNT=9'] };
    const move = { place: day('05'), start: day('06') };
    for (const zone of ['Pacific/Auckland', 'America/Los_Angeles']) {
      expect(() => assertBetweenNeighbours([{ before: move, after: move }], days, days, zone)).not.toThrow();
    }
  });
});
