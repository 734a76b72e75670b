// 30 s: each kind of rule is written, read and expanded through the service.
import rrule from 'rrule';
import { hour } from '../../../support/berlin-times.js';
import { openOutlookAccount, type OutlookAccount } from './outlook-account.js';

const { rrulestr } = rrule;
const NEXT_YEARS = { startDateTime: '2027-01-01T00:00:00Z', endDateTime: '2031-12-30T00:00:00Z' };

/** Days that another implementation of RFC 5545 makes of a rule. */
function expected(date: string, rule: string): string[] {
  const start = date.replaceAll('-', '');
  const days = rrulestr(`DTSTART:${start}T000000Z\nRRULE:${rule}`).between(
    new Date(NEXT_YEARS.startDateTime),
    new Date(NEXT_YEARS.endDateTime),
    true,
  );
  return days.map((day) => day.toISOString().slice(0, 10));
}

describe('rules at Outlook', () => {
  let a: OutlookAccount;
  let calendarId: string;

  beforeAll(async () => {
    a = await openOutlookAccount();
    calendarId = await a.newCalendar();
  });

  afterAll(() => a.stop());

  const days = async (seriesId: string) => {
    const { items } = await a.list(calendarId, NEXT_YEARS, `/${encodeURIComponent(seriesId)}/occurrences`);
    return items.map(({ start }) => start.date ?? start.dateTime.slice(0, 10));
  };
  const daily = (rule: string) => ({ title: rule, start: { date: '2027-03-22' }, recurrence: [`RRULE:${rule}`] });

  it.each([
    ['2027-03-22', 'FREQ=DAILY;INTERVAL=999;COUNT=2'],
    ['2027-03-22', 'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=12'],
    ['2027-03-20', 'FREQ=DAILY;BYDAY=MO,WE;UNTIL=20270420'],
    ['2027-03-24', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=7'],
    ['2027-03-24', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU;COUNT=7'],
    ['2027-03-24', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=MO;COUNT=7'],
    ['2027-03-24', 'FREQ=WEEKLY;INTERVAL=3;BYDAY=TU;WKST=WE;COUNT=4'],
    ['2027-03-22', 'FREQ=WEEKLY;UNTIL=20270412'],
    ['2027-03-24', 'FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=10;COUNT=3'],
    ['2027-03-28', 'FREQ=MONTHLY;COUNT=13'],
    ['2027-01-31', 'FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=14'],
    ['2027-01-15', 'FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3'],
    ['2027-01-29', 'FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=-1;COUNT=14'],
    ['2027-01-30', 'FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1;COUNT=14'],
    ['2027-01-31', 'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;COUNT=14'],
    ['2027-03-22', 'FREQ=MONTHLY;BYDAY=4MO;COUNT=6'],
    ['2027-03-22', 'FREQ=MONTHLY;BYDAY=1TU;COUNT=6'],
    ['2027-03-26', 'FREQ=MONTHLY;INTERVAL=3;BYDAY=-1FR;COUNT=6'],
    ['2027-03-02', 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=2;COUNT=6'],
    ['2027-03-31', 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=6'],
    ['2027-03-06', 'FREQ=MONTHLY;BYDAY=SA,SU;BYSETPOS=1;COUNT=6'],
    ['2027-03-22', 'FREQ=MONTHLY;BYDAY=MO,TH;COUNT=9'],
    ['2027-03-22', 'FREQ=MONTHLY;BYMONTH=3;BYMONTHDAY=22;COUNT=3'],
    ['2027-03-22', 'FREQ=YEARLY;COUNT=4'],
    ['2027-03-22', 'FREQ=YEARLY;INTERVAL=2;BYMONTH=6;BYMONTHDAY=7;COUNT=2'],
    ['2027-12-31', 'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=-1;COUNT=4'],
    ['2027-02-28', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1;COUNT=4'],
    ['2027-02-28', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1;COUNT=4'],
    ['2027-03-28', 'FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;COUNT=4'],
    ['2027-11-02', 'FREQ=YEARLY;BYMONTH=11;BYDAY=MO,TU;BYSETPOS=2;COUNT=4'],
    ['2027-03-22', 'FREQ=YEARLY;BYDAY=MO;COUNT=60'],
    ['2027-03-22', 'FREQ=YEARLY;BYMONTHDAY=22;COUNT=14'],
    ['2027-03-22', 'FREQ=DAILY;COUNT=999'],
  ])('from %s on make the days of RFC 5545, and are told as a rule that does: %s', async (date, rule) => {
    const series = await a.create(calendarId, { ...daily(rule), start: { date } });
    const shown = await days(series.id);
    expect(shown).toEqual(expected(date, rule));
    expect(series.start.date).toBe(shown[0]);
    expect(series.recurrence).toEqual([`RRULE:${rule}`]);
    expect(expected(series.start.date, series.recurrence[0].slice('RRULE:'.length))).toEqual(shown);
  });

  it.each([
    ['FREQ=SECONDLY', 'FREQ'],
    ['FREQ=MINUTELY;INTERVAL=5', 'FREQ'],
    ['FREQ=HOURLY', 'FREQ'],
    ['FREQ=DAILY;BYHOUR=9', 'BYHOUR'],
    ['FREQ=DAILY;BYMINUTE=30', 'BYMINUTE'],
    ['FREQ=DAILY;BYSECOND=30', 'BYSECOND'],
    ['FREQ=YEARLY;BYYEARDAY=100', 'BYYEARDAY'],
    ['FREQ=YEARLY;BYWEEKNO=20', 'BYWEEKNO'],
    ['FREQ=DAILY;COUNT=1000', 'COUNT'],
    ['FREQ=DAILY;INTERVAL=1000', 'INTERVAL'],
    ['FREQ=WEEKLY;INTERVAL=100', 'INTERVAL'],
    ['FREQ=DAILY;INTERVAL=2;BYDAY=MO', 'BYDAY'],
    ['FREQ=DAILY;BYMONTH=5', 'BYMONTH'],
    ['FREQ=DAILY;BYMONTHDAY=5', 'BYMONTHDAY'],
    ['FREQ=WEEKLY;BYMONTH=5', 'BYMONTH'],
    ['FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=1', 'BYSETPOS'],
    ['FREQ=MONTHLY;BYMONTHDAY=29', 'BYMONTHDAY'],
    ['FREQ=MONTHLY;BYMONTHDAY=30', 'BYMONTHDAY'],
    ['FREQ=MONTHLY;BYMONTHDAY=31', 'BYMONTHDAY'],
    ['FREQ=MONTHLY;BYMONTHDAY=-2', 'BYMONTHDAY'],
    ['FREQ=MONTHLY;BYMONTHDAY=1,15', 'BYMONTHDAY'],
    ['FREQ=MONTHLY;BYMONTHDAY=27,28;BYSETPOS=-1', 'BYSETPOS'],
    ['FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=1', 'BYSETPOS'],
    ['FREQ=MONTHLY;BYDAY=5MO', 'BYDAY'],
    ['FREQ=MONTHLY;BYDAY=-2MO', 'BYDAY'],
    ['FREQ=MONTHLY;BYDAY=1MO,3MO', 'BYDAY'],
    ['FREQ=MONTHLY;BYDAY=1MO,TU', 'BYDAY'],
    ['FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=5', 'BYSETPOS'],
    ['FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1,2', 'BYSETPOS'],
    ['FREQ=MONTHLY;INTERVAL=2;BYDAY=MO', 'BYDAY'],
    ['FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', 'BYDAY'],
    ['FREQ=MONTHLY;INTERVAL=2;BYMONTH=5', 'BYMONTH'],
    ['FREQ=MONTHLY;BYMONTH=5,6', 'BYMONTH'],
    ['FREQ=YEARLY;BYMONTH=5,6', 'BYMONTH'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', 'BYMONTHDAY'],
    ['FREQ=YEARLY;BYDAY=20MO', 'BYDAY'],
    ['FREQ=YEARLY;BYMONTH=5;BYDAY=MO', 'BYDAY'],
    ['FREQ=YEARLY;INTERVAL=2;BYDAY=MO', 'BYDAY'],
    ['FREQ=YEARLY;INTERVAL=2;BYMONTHDAY=5', 'BYMONTHDAY'],
    ['FREQ=DAILY;COUNT=3;UNTIL=20270401', 'UNTIL'],
    ['FREQ=DAILY;INTERVAL=0', 'INTERVAL'],
    ['FREQ=DAILY;UNTIL=20270301', 'UNTIL'],
    ['FREQ=DAILY;WHATEVER=1', 'WHATEVER'],
  ])('that Outlook cannot hold are refused, the part named, and nothing is made: %s', async (rule, part) => {
    const before = (await a.list(calendarId)).items.length;
    const { status, body } = await a.events('POST', calendarId, '', { body: daily(rule) });
    expect({ status, message: body.message + JSON.stringify(body.details ?? '') }).toEqual({
      status: 400,
      message: expect.stringContaining(part),
    });
    expect((await a.list(calendarId)).items).toHaveLength(before);
  });

  it.each([
    [['RRULE:FREQ=DAILY;COUNT=2', 'RDATE;VALUE=DATE:20270501'], 'RDATE'],
    [['RRULE:FREQ=DAILY;COUNT=2', 'EXRULE:FREQ=WEEKLY'], 'EXRULE'],
    [['RDATE;VALUE=DATE:20270501'], 'RDATE'],
    [['RRULE:FREQ=DAILY;COUNT=2', 'RRULE:FREQ=WEEKLY;COUNT=2'], 'RRULE'],
    [['EXDATE;VALUE=DATE:20270501'], 'RRULE'],
  ])('refuses the lines %j', async (recurrence, part) => {
    const { status, body } = await a.events('POST', calendarId, '', { body: { ...daily(''), recurrence } });
    expect([status, body.message + JSON.stringify(body.details ?? '')]).toEqual([400, expect.stringContaining(part)]);
  });

  it.each([
    ['20270325T090000Z', 4],
    ['20270325T085959Z', 3],
    ['20270325', 4],
    ['20270325T100000', 4],
    ['20270325T095959', 3],
    ['20270324T235959Z', 3],
  ])('ends where UNTIL=%s says, in the zone of the series', async (until, count) => {
    const body = { title: 'U', ...hour('2027-03-22'), recurrence: [`RRULE:FREQ=DAILY;UNTIL=${until}`] };
    expect(await days((await a.create(calendarId, body)).id)).toHaveLength(count);
  });

  it('ends on the day of its own zone, far from UTC', async () => {
    const time = (dateTime: string) => ({ dateTime, timeZone: 'Pacific/Auckland' });
    const { id, recurrence } = await a.create(calendarId, {
      title: 'Auckland',
      start: time('2027-03-22T08:00:00'),
      end: time('2027-03-22T09:00:00'),
      recurrence: ['RRULE:FREQ=DAILY;UNTIL=20270324T190000Z'],
    });
    expect(await days(id)).toEqual(['2027-03-22', '2027-03-23', '2027-03-24', '2027-03-25']);
    expect(recurrence).toEqual(['RRULE:FREQ=DAILY;UNTIL=20270324T190000Z']);
  });

  it('moves a first instance that its rule does not make to the first that it does', async () => {
    const { id, start, end } = await a.create(calendarId, {
      title: 'Moved',
      ...hour('2027-03-24'),
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2'],
    });
    expect([start.dateTime, end.dateTime]).toEqual(['2027-03-29T10:00:00+02:00', '2027-03-29T11:00:00+02:00']);
    expect(await days(id)).toEqual(['2027-03-29', '2027-04-05']);
  });

  it.each([
    [{ type: 'absoluteMonthly', interval: 1, dayOfMonth: 31 }, '2027-01-31', 'FREQ=MONTHLY;BYMONTHDAY=-1'],
    [
      { type: 'absoluteMonthly', interval: 1, dayOfMonth: 30 },
      '2027-01-30',
      'FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1',
    ],
    [
      { type: 'absoluteYearly', interval: 1, month: 2, dayOfMonth: 29 },
      '2027-02-28',
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1',
    ],
    [
      { type: 'weekly', interval: 2, daysOfWeek: ['sunday', 'monday'], firstDayOfWeek: 'sunday' },
      '2027-03-22',
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU',
    ],
    [
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['saturday', 'sunday'], index: 'last' },
      '2027-03-28',
      'FREQ=MONTHLY;BYDAY=SA,SU;BYSETPOS=-1',
    ],
    [
      { type: 'relativeYearly', interval: 1, month: 3, daysOfWeek: ['monday'], index: 'fourth' },
      '2027-03-22',
      'FREQ=YEARLY;BYMONTH=3;BYDAY=4MO',
    ],
    [
      { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'sunday' },
      '2027-03-22',
      'FREQ=WEEKLY;BYDAY=MO',
    ],
    [{ type: 'absoluteMonthly', interval: 2, dayOfMonth: 22 }, '2027-03-22', 'FREQ=MONTHLY;INTERVAL=2'],
    [{ type: 'absoluteYearly', interval: 1, month: 3, dayOfMonth: 22 }, '2027-03-22', 'FREQ=YEARLY'],
  ])('tells a pattern of Outlook’s own as a rule that makes the same days: %j', async (pattern, date, rule) => {
    const end = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
    const midnight = (day: string) => ({ dateTime: `${day}T00:00:00`, timeZone: 'UTC' });
    const range = { type: 'numbered', startDate: date, numberOfOccurrences: 16, recurrenceTimeZone: 'UTC' };
    const made = await a.made(
      {
        subject: 'Own',
        start: midnight(date),
        end: midnight(end),
        isAllDay: true,
        recurrence: { pattern, range },
      },
      calendarId,
    );
    const { body } = await a.events('GET', calendarId, `/${encodeURIComponent(made.id)}`);
    expect(expected(date, body.recurrence[0].slice('RRULE:'.length))).toEqual(await days(made.id));
    expect(body.recurrence).toEqual([`RRULE:${rule};COUNT=16`]);
    const again = await a.change(calendarId, made.id, { recurrence: body.recurrence, start: body.start });
    expect(again.recurrence).toEqual(body.recurrence);
  });

  it.each([
    ['FREQ=YEARLY', '2027-03-23'],
    ['FREQ=MONTHLY;COUNT=3', '2027-03-23'],
    ['FREQ=WEEKLY;COUNT=3', '2027-03-23'],
    ['FREQ=WEEKLY;BYDAY=MO;COUNT=3', '2027-03-29'],
  ])('goes with a series that is moved by a day, and with what is cut off it: %s', async (rule, start) => {
    const { id } = await a.create(calendarId, daily(rule));
    const moved = await a.change(calendarId, id, { start: { date: '2027-03-23' }, end: { date: '2027-03-24' } });
    expect(moved).toMatchObject({ start: { date: start }, recurrence: [`RRULE:${rule}`] });
    const second = (await days(id))[1] ?? '';
    const rest = await a.change(
      calendarId,
      `${id}_${second.replaceAll('-', '')}`,
      { title: 'Rest' },
      { scope: 'following' },
    );
    const { body: ended } = await a.events('GET', calendarId, `/${encodeURIComponent(id)}`);
    const [before, after] = [ended, rest].map(({ recurrence }) => recurrence[0].replace(/;(?:COUNT|UNTIL)=.*/, ''));
    expect([before, after]).toEqual(Array(2).fill(`RRULE:${rule.replace(/;COUNT=.*/, '')}`));
    expect((await days(rest.id))[0]).toBe(second);
  });

  it('is Outlook’s once the series was changed there, and the asked one when that is taken back', async () => {
    const rule = 'COUNT=5;FREQ=WEEKLY;BYDAY=MO';
    const { id } = await a.create(calendarId, daily(rule));
    const read = async () => (await a.events('GET', calendarId, `/${encodeURIComponent(id)}`)).body.recurrence;
    const inOutlook = (numberOfOccurrences: number) => {
      const pattern = { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'sunday' };
      const range = { type: 'numbered', startDate: '2027-03-22', numberOfOccurrences, recurrenceTimeZone: 'UTC' };
      return a.touch(id, { recurrence: { pattern, range } }, calendarId);
    };
    expect(await read()).toEqual([`RRULE:${rule}`]);
    await inOutlook(4);
    expect(await read()).toEqual(['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4']);
    await inOutlook(5);
    expect(await read()).toEqual([`RRULE:${rule}`]);
  });
});
