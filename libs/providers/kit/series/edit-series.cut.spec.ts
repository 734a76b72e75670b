import type { EventTime } from '#domain/events';
import { onClock } from './times.js';
import { cutSeries } from './edit-series.js';

const at = (day: string, hour = 9) => onClock(`2027-03-${day}T${String(hour).padStart(2, '0')}:00:00`, 'Europe/Berlin');
const daily = (...recurrence: string[]) => ({ span: { start: at('08'), end: at('08', 10) }, recurrence });
const cut = (recurrence: string[], from: EventTime, deleted: EventTime[] = []) =>
  cutSeries(daily(...recurrence), from, 'Europe/Berlin', deleted);

describe('cutSeries', () => {
  it('ends the series before the instance, and goes on from there with what the count has left', () => {
    expect(cut(['RRULE:FREQ=DAILY;COUNT=9'], at('11'))).toMatchObject({
      isOfRule: true,
      ended: ['RRULE:FREQ=DAILY;COUNT=3'],
      rest: { span: { start: at('11'), end: at('11', 10) }, recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] },
    });
  });

  it('cuts nothing off when nothing comes before', () => {
    expect(cut(['RRULE:FREQ=DAILY;COUNT=9'], at('08'))).toBeNull();
    expect(cut(['RRULE:FREQ=DAILY;COUNT=9'], at('09'), [at('08')])).toBeNull();
    expect(cut(['RRULE:FREQ=DAILY;COUNT=9', 'EXDATE;TZID=Europe/Berlin:20270308T090000'], at('09'))).toBeNull();
  });

  it('tells an extra date from an instance of the rule', () => {
    const recurrence = ['RRULE:FREQ=WEEKLY;COUNT=3', 'RDATE;TZID=Europe/Berlin:20270310T090000'];
    expect(cut(recurrence, at('10'))).toMatchObject({ isOfRule: false });
    expect(cut(recurrence, at('15'))).toMatchObject({ isOfRule: true });
  });

  it('refuses a series with several rules', () => {
    expect(() => cut(['RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY'], at('11'))).toThrow(
      expect.objectContaining({ code: 'ValidationFailed', details: [expect.objectContaining({ path: 'scope' })] }),
    );
    expect(cut(['RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY'], at('08'))).toBeNull();
  });

  it('says of a rule that cannot be read that it is not valid here', () => {
    expect(() => cut(['RRULE:FREQ=SOMETIMES'], at('11'))).toThrow(
      expect.objectContaining({ code: 'ValidationFailed' }),
    );
  });
});
