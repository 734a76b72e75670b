import { FeedError } from './feed-error.js';
import { Feed, hasRenewedUids, type Identity } from './feed.js';

const calendar = (...lines: string[]) => ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const event = (...lines: string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'];
const standup = (uid: string, ...more: string[]) =>
  event(`UID:${uid}`, 'DTSTART:20270322T090000Z', 'DTEND:20270322T091500Z', 'SUMMARY:Standup', ...more);
const read = (text: string | Buffer, identity: Identity = 'uid') =>
  Feed.read(Buffer.from(text as string, 'utf8'), identity);
const ids = (feed: Feed) => feed.objects.map(({ id }) => id);

describe('a feed', () => {
  it.each([
    ['a byte-order mark', `\ufeff${calendar(...standup('a'))}`],
    ['blank lines before it', `\r\n\n  ${calendar(...standup('a'))}`],
    ['line feeds alone', calendar(...standup('a')).replaceAll('\r\n', '\n')],
    ['carriage returns alone', calendar(...standup('a')).replaceAll('\r\n', '\r')],
    [
      'lower case',
      calendar(...standup('a')).replaceAll(/BEGIN|END|UID|VEVENT|VCALENDAR/g, (name) => name.toLowerCase()),
    ],
    ['folds in names of nothing', calendar(...standup('a')).replace('UID:a', 'UI\r\n D:a')],
    ['an event whose END is missing', calendar(...standup('a')).replace('END:VEVENT\r\n', '')],
    ['text behind its end', `${calendar(...standup('a'))}<!-- generated -->`],
    ['no last line end', calendar(...standup('a')).trimEnd()],
  ])('is read with %s', async (_, text) => {
    const feed = await read(text);
    expect(feed.objects).toHaveLength(1);
    expect(feed.textOf(feed.objects[0]!).toString()).toContain('Standup');
  });

  it.each([
    ['', 'empty'],
    ['\ufeff \r\n', 'empty'],
    ['<!doctype html><title>Sign in</title>', 'web-page'],
    ['  <?xml version="1.0"?><multistatus/>', 'web-page'],
    ['{"error":"not found"}', 'not-a-calendar'],
    [calendar(...standup('a')).slice(0, -20), 'truncated'],
    ['BEGIN:VCALENDAR\r\nVERSION:2.0\r\n', 'truncated'],
    [calendar(...standup('a')).replace('END:VCALENDAR', 'END:VCALEN'), 'truncated'],
  ])('%j is none: %s', async (text, failure) => {
    await expect(read(text)).rejects.toEqual(new FeedError(failure as 'empty'));
  });

  it('is ordered by id, and finds objects by it and by their window', async () => {
    const text = calendar(
      ...Array.from({ length: 200 }, (_, day) =>
        event(`UID:${day}`, `DTSTART;VALUE=DATE:2027${String(1 + (day % 12)).padStart(2, '0')}10`, `SUMMARY:${day}`),
      ).flat(),
    );
    const feed = await read(text);
    expect(ids(feed)).toEqual(ids(feed).toSorted());
    for (const object of feed.objects) expect(feed.find(object.id)).toBe(object);
    expect(feed.find('unknown')).toBeNull();
    const march = { startMs: Date.UTC(2027, 2, 1), endMs: Date.UTC(2027, 3, 1) };
    expect([...feed.objectsFrom('', march)]).toHaveLength(17);
    const from = feed.objects[100]!.id;
    expect([...feed.objectsFrom(from, { startMs: null, endMs: null })]).toHaveLength(100);
  });

  it('keeps in a window whatever may be in it', async () => {
    const inMay = { startMs: Date.UTC(2027, 4, 1), endMs: Date.UTC(2027, 5, 1) };
    const is = async (...lines: string[]) =>
      [...(await read(calendar(...event('UID:a', ...lines)))).objectsFrom('', inMay)].length;
    expect(await is('DTSTART:20270301T090000Z', 'RRULE:FREQ=DAILY')).toBe(1);
    expect(await is('DTSTART:20270301T090000Z', 'RRULE:FREQ=DAILY;UNTIL=20270401')).toBe(0);
    expect(await is('DTSTART:20270301T090000Z', 'RRULE:FREQ=DAILY;UNTIL=20270401', 'RDATE:20270510T090000Z')).toBe(1);
    expect(await is('DTSTART:20270301T090000Z', 'DURATION:P70D')).toBe(1);
    expect(await is('DTSTART:20270301T090000Z', 'DTEND:20270520T090000Z')).toBe(1);
    expect(await is('DTSTART;TZID=Pacific/Kiritimati:20270601T010000')).toBe(1);
    expect(await is('DTSTART:20270603T010000Z')).toBe(0);
    expect(await is('DTSTART:nonsense')).toBe(1);
    for (const noComponent of ['BEGIN:', 'BEGIN;X=1:VALARM']) {
      expect(await is('DTSTART:20270301T090000Z', noComponent, 'RRULE:FREQ=DAILY')).toBe(1);
    }
  });

  it('keeps changed instances with their series, and times with their zone', async () => {
    const zone = ['BEGIN:VTIMEZONE', 'TZID:Own', 'BEGIN:STANDARD', 'DTSTART:19700101T000000', 'TZOFFSETFROM:+0530'];
    const feed = await read(
      calendar(
        ...standup('a', 'RRULE:FREQ=DAILY;COUNT=3'),
        ...event('UID:b', 'DTSTART;TZID=Own:20270322T090000'),
        ...event('UID:a', 'RECURRENCE-ID:20270323T090000Z', 'DTSTART:20270323T100000Z', 'SUMMARY:Moved'),
        ...[...zone, 'TZOFFSETTO:+0530', 'END:STANDARD', 'END:VTIMEZONE'],
      ),
    );
    expect(feed.objects).toHaveLength(2);
    const texts = feed.objects.map((object) => feed.textOf(object).toString());
    const series = texts.find((text) => text.includes('RRULE'))!;
    expect(series).toContain('SUMMARY:Moved');
    expect(series).not.toContain('VTIMEZONE');
    expect(texts.find((text) => text !== series)).toContain('TZOFFSETTO:+0530');
  });

  it('reads names, colours, zones and intervals', async () => {
    const facts = async (...lines: string[]) => (await read(calendar(...lines))).facts;
    expect(await facts()).toEqual({ name: null, hexColor: null, timeZone: null, refreshMs: null });
    expect(
      await facts(
        'X-WR-CALNAME:Fußball\\, Damen',
        'COLOR:tomato',
        'X-WR-TIMEZONE:W. Europe Standard Time',
        'X-PUBLISHED-TTL:PT2H',
      ),
    ).toEqual({ name: 'Fußball, Damen', hexColor: '#FF6347', timeZone: 'Europe/Berlin', refreshMs: 7_200_000 });
    expect(
      await facts(
        'NAME:New',
        'X-WR-CALNAME:Old',
        'X-APPLE-CALENDAR-COLOR:#ff9500ff',
        'REFRESH-INTERVAL;VALUE=DURATION:P1D',
      ),
    ).toMatchObject({ name: 'New', hexColor: '#FF9500', refreshMs: 86_400_000 });
    const zone = ['BEGIN:VTIMEZONE', 'TZID:Asia/Tokyo', 'END:VTIMEZONE'];
    expect((await facts(...zone)).timeZone).toBe('Asia/Tokyo');
  });

  it('reads names that are not UTF-8', async () => {
    const feed = await Feed.read(Buffer.from(calendar('X-WR-CALNAME:Fu\xdfball'), 'latin1'), 'uid');
    expect(feed.facts.name).toBe('Fußball');
  });

  it('marks what a METHOD:CANCEL cancels, and nothing else', async () => {
    const feed = await read(calendar(...standup('a')) + calendar('METHOD:CANCEL', ...standup('b')));
    const texts = feed.objects.map((object) => feed.textOf(object).toString());
    expect(texts.filter((text) => text.includes('STATUS:CANCELLED'))).toHaveLength(1);
  });
});

describe('versions', () => {
  const versionOf = async (...more: string[]) => (await read(calendar(...standup('a', ...more)))).objects[0]!.version;

  it('are the same whatever an exporter renews with every download', async () => {
    const renewed = ['DTSTAMP:20270101T000000Z', 'LAST-MODIFIED:20270101T000000Z', 'SEQUENCE:7'];
    expect(await versionOf(...renewed)).toBe(await versionOf());
    expect(await versionOf('BEGIN:VALARM', 'UID:x', 'ACTION:DISPLAY', 'END:VALARM')).toBe(
      await versionOf('BEGIN:VALARM', 'UID:y', 'ACTION:DISPLAY', 'END:VALARM'),
    );
  });

  it.each(['LOCATION:Here', 'STATUS:CANCELLED', 'BEGIN:VALARM\r\nACTION:DISPLAY\r\nEND:VALARM'])(
    'are others with %j',
    async (line) => expect(await versionOf(line)).not.toBe(await versionOf()),
  );

  it('are others when an instance changes, comes, or goes', async () => {
    const instance = (title: string) =>
      event('UID:a', 'RECURRENCE-ID:20270323T090000Z', 'DTSTART:20270323T090000Z', `SUMMARY:${title}`);
    const of = async (...more: string[]) => (await read(calendar(...standup('a'), ...more))).objects[0]!.version;
    expect(new Set([await of(), await of(...instance('x')), await of(...instance('y'))]).size).toBe(3);
  });
});

describe('identity', () => {
  it('is the UID, whatever the event says', async () => {
    const renamed = standup('a').map((line) => line.replace('Standup', 'Daily'));
    expect(ids(await read(calendar(...renamed)))).toEqual(ids(await read(calendar(...standup('a')))));
  });

  it('is the content where UIDs are new each time, in any order', async () => {
    const events = (run: string) => [
      standup(`${run}-1`),
      standup(`${run}-2`, 'LOCATION:There'),
      standup(`${run}-3`, 'LOCATION:Here'),
      event(`UID:${run}-4`, 'DTSTART:20270401T090000Z', 'SUMMARY:Other'),
    ];
    const one = await read(calendar(...events('one').flat()), 'content');
    const two = await read(calendar(...events('two').toReversed().flat()), 'content');
    expect(ids(one)).toHaveLength(4);
    expect(new Set(ids(one)).size).toBe(4);
    expect(ids(two)).toEqual(ids(one));
    expect(two.version).toBe(one.version);
  });

  it('is the content of events without UID', async () => {
    const bare = event('DTSTART:20270401T090000Z', 'SUMMARY:Bare');
    const feed = await read(calendar(...bare, ...standup('a')));
    expect(ids(feed)).toEqual(ids(await read(calendar(...standup('a'), ...bare))));
    expect(feed.objects.map((object) => feed.textOf(object).toString()).join()).toMatch(/UID:[\w~-]{22}\r\n/);
  });

  it('of a UID that is there twice: the newer version, copies once, different events all', async () => {
    const titles = async (...events: string[][]) => {
      const feed = await read(calendar(...events.flat()));
      return feed.objects.map((object) => /SUMMARY:(.*)\r/.exec(feed.textOf(object).toString())?.[1]).toSorted();
    };
    const as = (title: string, sequence: number) =>
      event('UID:a', `SEQUENCE:${sequence}`, 'DTSTART:20270401T090000Z', `SUMMARY:${title}`);
    expect(await titles(as('New', 2), as('Old', 1))).toEqual(['New']);
    expect(await titles(as('Same', 1), as('Same', 1))).toEqual(['Same']);
    expect(await titles(as('One', 0), as('Two', 0))).toEqual(['One', 'Two']);
  });

  it('is found to be worth nothing when no UID of two downloads is the same', async () => {
    const sampleOf = async (run: string, count = 60) =>
      (
        await read(
          calendar(
            ...Array.from({ length: count }, (_, index) =>
              event(`UID:${run}${index}`, 'DTSTART:20270401T090000Z', `SUMMARY:${index}`),
            ).flat(),
          ),
        )
      ).sample;
    const first = await sampleOf('a');
    expect(Object.keys(first)).toHaveLength(16);
    expect(hasRenewedUids(first, await sampleOf('b'))).toBe(true);
    expect(hasRenewedUids(first, await sampleOf('b', 50))).toBe(true);
    expect(hasRenewedUids(first, await sampleOf('a', 50))).toBe(false);
    expect(hasRenewedUids({}, first)).toBe(false);
    expect(hasRenewedUids({ ...first, [Object.keys(first)[0]!]: 'other' }, first)).toBe(false);
    expect(JSON.stringify(first)).not.toContain('a1');
  });
});
