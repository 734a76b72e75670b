/** A fake CalDAV server as a process of its own, so that its memory is not ours: `size` events of `bytes` each. */
import { FakeCalDav } from '../support/fake-caldav.js';

const [size = 0, bytes = 0] = process.argv.slice(2).map(Number);
const fake = await FakeCalDav.start();
const calendar = fake.addCalendar('large', 'Large');
for (let index = 0; index < size; index += 1) {
  const name = `event-${String(index).padStart(6, '0')}`;
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Example//Bench//EN',
    'BEGIN:VEVENT',
    `UID:${name}`,
    'DTSTAMP:20260101T000000Z',
    'DTSTART:20260105T090000Z',
    'DTEND:20260105T100000Z',
    `SUMMARY:Event ${index}`,
    `DESCRIPTION:${'text '.repeat(bytes / 5)}`,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ];
  calendar.put(`${name}.ics`, lines.join('\r\n'));
}
// Recording every request would grow with the run.
setInterval(() => fake.requests.splice(0), 100).unref();
process.send?.({ url: fake.url, allow: fake.egressAllow, login: fake.login });
