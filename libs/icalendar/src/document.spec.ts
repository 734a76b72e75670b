import { IcsDocument, IcsSyntaxError, IcsValueError, UNBOUNDED_LIMITS } from './index.js';

const lines = (...content: string[]) => content.map((line) => `${line}\r\n`).join('');
const SIMPLE = lines(
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'BEGIN:VTIMEZONE',
  'TZID:Europe/Berlin',
  'END:VTIMEZONE',
  'BEGIN:VEVENT',
  'UID:1',
  'dtstart;tzid="Europe/Berlin";X-A=1:20260105T090000',
  'ATTENDEE;CN="Doe, Jane";MEMBER="mailto:a@x","mailto:b@x":mailto:jane@x',
  "ATTENDEE;CN=O^'Hara^^^n:mailto:o@example.com",
  'SUMMARY:One\\, two',
  'BEGIN:VALARM',
  'ACTION:DISPLAY',
  'END:VALARM',
  'X-AFTER:1',
  'END:VEVENT',
  'END:VCALENDAR',
);
const open = (text: string | Uint8Array) => {
  const document = IcsDocument.parse(text);
  const calendar = document.calendars[0]!;
  return { document, calendar, event: calendar.componentsNamed('VEVENT')[0]! };
};
const written = (document: IcsDocument) => document.toBytes().toString();

describe('IcsDocument reading', () => {
  it('reads names, values and parameters without regard to case and quoting', () => {
    const { calendar, event } = open(SIMPLE);
    expect(calendar.components.map((component) => component.name)).toEqual(['VTIMEZONE', 'VEVENT']);
    expect(calendar.property('version')?.value).toBe('2.0');
    const dtstart = event.property('DTSTART')!;
    expect([dtstart.name, dtstart.value, dtstart.parameter('TzId')]).toEqual([
      'DTSTART',
      '20260105T090000',
      'Europe/Berlin',
    ]);
    expect(dtstart.line).toBe('dtstart;tzid="Europe/Berlin";X-A=1:20260105T090000');
    const [jane, ohara] = event.propertiesNamed('attendee');
    expect(jane?.parameter('CN')).toBe('Doe, Jane');
    expect(jane?.parameterValues('MEMBER')).toEqual(['mailto:a@x', 'mailto:b@x']);
    expect(jane?.parameter('ROLE')).toBeUndefined();
    expect(ohara?.parameter('CN')).toBe('O"Hara^\n');
    expect(event.properties.map((property) => property.name)).toEqual([
      'UID',
      'DTSTART',
      'ATTENDEE',
      'ATTENDEE',
      'SUMMARY',
      'X-AFTER',
    ]);
    expect(event.components[0]?.property('ACTION')?.value).toBe('DISPLAY');
  });

  it('reads a semicolon that a server escaped instead of quoting it (SOGo)', () => {
    const line = "ATTENDEE;CN=Bob ^'B^'\\; Builder\\;Son;PARTSTAT=NEEDS-ACTION:mailto:bob@x";
    const other = 'X-A;X-B=back\\;X-C=1;X-D=\\;:1';
    const { event } = open(SIMPLE.replace('UID:1', `UID:1\r\n${line}\r\n${other}`));
    const [bob] = event.propertiesNamed('ATTENDEE');
    expect([bob?.parameter('CN'), bob?.parameter('PARTSTAT')]).toEqual(['Bob "B"; Builder;Son', 'NEEDS-ACTION']);
    const others = event.property('X-A');
    // What follows is a parameter: the backslash is what it says.
    expect([others?.parameter('X-B'), others?.parameter('X-C'), others?.parameter('X-D')]).toEqual([
      'back\\',
      '1',
      ';',
    ]);
  });

  it('N50 unfolds octets before it decodes them, so a fold inside a character does no harm', () => {
    const text = 'BEGIN:VCALENDAR\r\nX-A;CN=Zoë:Grüße 👋\r\nEND:VCALENDAR\r\n';
    const bytes = Buffer.from(text);
    for (let at = text.indexOf('X-A') + 1; at < bytes.indexOf('END:') - 2; at += 1) {
      const folded = Buffer.concat([bytes.subarray(0, at), Buffer.from('\r\n '), bytes.subarray(at)]);
      const property = open(folded).calendar.property('X-A');
      expect([property?.value, property?.parameter('CN')]).toEqual(['Grüße 👋', 'Zoë']);
    }
  });

  it.each(['\n', '\r', '\r\n', '\r\r\n'])('reads lines that end with %j', (eol) => {
    const text = SIMPLE.replaceAll('\r\n', eol).replace('20260105T090000', `2026${eol} 0105${eol}\tT090000`);
    const { document, event } = open(text);
    expect(event.property('DTSTART')?.value).toBe('20260105T090000');
    expect(event.property('UID')?.value).toBe('1');
    expect(written(document)).toBe(text);
  });

  it('N50 keeps broken lines and reads around them', () => {
    const text = SIMPLE.replace('UID:1\r\n', 'no colon\r\nX-Q;CN="open:1\r\n:no name\r\n\r\nUID:1\r\n');
    const { document, event } = open(text);
    expect(event.property('UID')?.value).toBe('1');
    expect(event.property('X-Q')).toBeUndefined();
    expect(event.properties).toHaveLength(6);
    event.setProperty('UID', '2');
    expect(written(document)).toBe(text.replace('UID:1', 'UID:2'));
  });

  it('closes components without END with the one around them, and ignores an END without BEGIN', () => {
    const { event, calendar, document } = open(
      SIMPLE.replace('END:VALARM\r\n', '').replace('VERSION:2.0\r\n', 'VERSION:2.0\r\nEND:VTODO\r\n'),
    );
    expect(event.components.map((component) => component.properties.map(({ name }) => name))).toEqual([
      ['ACTION', 'X-AFTER'],
    ]);
    calendar.setProperty('VERSION', '2.1');
    expect(written(document)).toContain('VERSION:2.1\r\nEND:VTODO\r\n');
    const cut = open(SIMPLE.slice(0, SIMPLE.indexOf('SUMMARY') + 11));
    expect(cut.event.property('SUMMARY')?.value).toBe('One');
    cut.event.addProperty('X-NEW', '1');
    expect(written(cut.document).slice(-18)).toBe('SUMMARY:One\r\nX-NEW:1\r\n'.slice(-18));
  });

  it('N50 ends a component without END where the next event begins', () => {
    const event = (uid: string) => `BEGIN:VEVENT\r\nUID:${uid}\r\nBEGIN:VALARM\r\nEND:VALARM\r\nEND:VEVENT\r\n`;
    const zone = 'BEGIN:VTIMEZONE\r\nTZID:Z\r\nBEGIN:STANDARD\r\n';
    for (const broken of [
      event('1').replace('END:VEVENT\r\n', '') + event('2'),
      event('1').replace(/END:.*\r\n/g, '') + event('2').replace('END:VEVENT\r\n', ''),
      zone + event('1') + event('2'),
    ]) {
      const text = `BEGIN:VCALENDAR\r\n${broken}END:VCALENDAR\r\n`;
      const { document, calendar } = open(text);
      const events = calendar.componentsNamed('VEVENT');
      expect(events.map((read) => read.properties.map(({ value }) => value))).toEqual([['1'], ['2']]);
      expect(document.hidesEvents).toBe(false);
      expect(written(document)).toBe(text);
      events[1]?.setProperty('UID', '3');
      expect(written(document)).toBe(text.replace('UID:2', 'UID:3'));
    }
  });

  it.each([
    ['without BEGIN', SIMPLE.replace('BEGIN:VEVENT\r\n', '')],
    ['without BEGIN, after another', SIMPLE.replace('END:VCAL', 'DTSTART:20270610\r\nEND:VEVENT\r\nEND:VCAL')],
    ['after its calendar', `${SIMPLE}BEGIN:VEVENT\r\nEND:VEVENT\r\n`],
    ['without BEGIN, after its calendar', `${SIMPLE}DTSTART:20270610\r\nEND:VEVENT\r\n`],
  ])('N50 tells of an event that its structure hides: %s', (_, text) => {
    expect(IcsDocument.parse(text).hidesEvents).toBe(true);
    expect(IcsDocument.parse(SIMPLE).hidesEvents).toBe(false);
  });

  it('N50 reads a line that is not UTF-8 as windows-1252 and gives its octets back', () => {
    const bytes = Buffer.from('BEGIN:VCALENDAR\nX-A:M\xfcnchen \x96\nX-B:München\nEND:VCALENDAR', 'latin1');
    const mixed = Buffer.concat([bytes.subarray(0, bytes.indexOf('X-B')), Buffer.from('X-B:München\nEND:VCALENDAR')]);
    const { calendar, document } = open(mixed);
    expect(calendar.properties.map(({ value }) => value)).toEqual(['München –', 'München']);
    calendar.setParameter(calendar.property('X-A')!, 'P', 'ö');
    expect(document.toBytes()).toEqual(
      Buffer.concat([
        Buffer.from('BEGIN:VCALENDAR\nX-A;P=ö'),
        Buffer.from(':M\xfcnchen \x96\n', 'latin1'),
        Buffer.from('X-B:München\nEND:VCALENDAR'),
      ]),
    );
  });

  it('skips a byte-order mark and keeps it', () => {
    for (const source of [`\ufeff${SIMPLE}`, Buffer.from(`\ufeff${SIMPLE}`)]) {
      const { document, event } = open(source);
      event.setProperty('UID', '2');
      expect(written(document)).toBe(`\ufeff${SIMPLE.replace('UID:1', 'UID:2')}`);
    }
  });

  it('finds every VCALENDAR and refuses a text without one', () => {
    expect(IcsDocument.parse(SIMPLE + SIMPLE).calendars).toHaveLength(2);
    for (const text of ['', 'hello', 'BEGIN:VEVENT\r\nEND:VEVENT\r\n', '<html>', '\0\0\0']) {
      expect(() => IcsDocument.parse(text)).toThrow(IcsSyntaxError);
    }
    expect(() => IcsDocument.parse(Buffer.from(`\ufeff${SIMPLE}`, 'utf16le'))).toThrow(IcsSyntaxError);
  });
});

describe('IcsDocument limits', () => {
  const wrapped = (content: string) => `BEGIN:VCALENDAR\n${content}END:VCALENDAR\n`;
  it.each([
    ['bytes', wrapped(`X:${'a'.repeat(1024 * 1024)}\n`)],
    ['bytes of wide characters', wrapped(`X:${'€'.repeat(400_000)}\n`)],
    ['lines', wrapped('X:1\n'.repeat(10_000))],
    ['nesting', wrapped('BEGIN:X\n'.repeat(8))],
    ['events', wrapped('BEGIN:VEVENT\nEND:VEVENT\n'.repeat(1_001))],
    ['attendees', wrapped(`BEGIN:VEVENT\n${'ATTENDEE:mailto:a@x\n'.repeat(2_001)}END:VEVENT\n`)],
  ])('N50 refuses too many %s', (_, text) => {
    expect(() => IcsDocument.parse(text)).toThrow(IcsSyntaxError);
    expect(() => IcsDocument.parse(Buffer.from(text))).toThrow(IcsSyntaxError);
    expect(IcsDocument.parse(text, UNBOUNDED_LIMITS).calendars).toHaveLength(1);
  });

  it('counts attendees per event, since every changed instance of a series repeats them', () => {
    const event = `BEGIN:VEVENT\n${'ATTENDEE:mailto:a@x\n'.repeat(1_500)}END:VEVENT\n`;
    expect(IcsDocument.parse(wrapped(event + event)).calendars[0]?.components).toHaveLength(2);
  });

  it.each([
    ['a 10 MB line', wrapped(`X:${'a'.repeat(1e7)}\n`)],
    ['ten thousand folds', wrapped(`X:a${'\r\n a'.repeat(10_000)}\n`)],
    ['a million folds', wrapped(`X:a${'\r\n a'.repeat(1e6)}\n`)],
    ['ten million CRs', `BEGIN:VCALENDAR\rX:1${'\r'.repeat(1e7)} `],
    ['ten million quotes', wrapped(`X;A="${'"'.repeat(1e7)}":1\n`)],
    ['parameters without end', wrapped(`X${';A=1'.repeat(250_000)}:1\n`)],
    ['a NUL in every place', wrapped(`X:${'\0'.repeat(1e6)}\n`)],
  ])('N50 needs linear time for %s', (_, text) => {
    const started = performance.now();
    const document = IcsDocument.parse(text, UNBOUNDED_LIMITS);
    const calendar = document.calendars[0]!;
    const property = calendar.property('X');
    property?.parameter('B');
    calendar.setProperty('Y', property?.value.length.toString() ?? '');
    document.toBytes();
    // What is quadratic here takes minutes.
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});

describe('IcsDocument editing', () => {
  const edited = (edit: (parts: ReturnType<typeof open>) => void, text: string | Uint8Array = SIMPLE) => {
    const parts = open(text);
    edit(parts);
    return written(parts.document);
  };

  it('replaces a value where it stands and keeps its parameters as they are written', () => {
    expect(edited(({ event }) => event.setProperty('DTSTART', '20260106T100000'))).toBe(
      SIMPLE.replace('20260105T090000', '20260106T100000'),
    );
    expect(edited(({ event }) => event.setProperty('DTSTART', '20260106', { VALUE: 'DATE' }))).toBe(
      SIMPLE.replace('dtstart;tzid="Europe/Berlin";X-A=1:20260105T090000', 'DTSTART;VALUE=DATE:20260106'),
    );
  });

  it('removes further properties of the name when it sets one', () => {
    expect(edited(({ event }) => event.setProperty('ATTENDEE', 'mailto:x@y', {}))).toContain(
      'X-A=1:20260105T090000\r\nATTENDEE:mailto:x@y\r\nSUMMARY',
    );
  });

  it('puts a new line after the last one of its name, else before the first sub-component, else before END', () => {
    expect(edited(({ event }) => event.addProperty('attendee', 'mailto:z@x', { CN: 'Z; "z"' }))).toContain(
      'mailto:o@example.com\r\nATTENDEE;CN="Z; ^\'z^\'":mailto:z@x\r\nSUMMARY',
    );
    expect(edited(({ event }) => event.setProperty('STATUS', 'CONFIRMED'))).toContain(
      'two\r\nSTATUS:CONFIRMED\r\nBEGIN:VALARM',
    );
    expect(edited(({ event }) => event.components[0]!.addProperty('TRIGGER', '-PT5M'))).toContain(
      'ACTION:DISPLAY\r\nTRIGGER:-PT5M\r\nEND:VALARM',
    );
  });

  it('rewrites and removes given properties, and follows the handle it gave out', () => {
    expect(
      edited(({ event }) => {
        const [jane, ohara] = event.propertiesNamed('ATTENDEE');
        event.replaceProperty(jane!, 'mailto:jan@x');
        expect(jane?.value).toBe('mailto:jan@x');
        event.removeProperty(ohara!);
        expect(() => event.removeProperty(ohara!)).toThrow('not part of');
        event.removeProperties('summary');
      }),
    ).toBe(
      SIMPLE.replace('jane@', 'jan@')
        .replace(/ATTENDEE;CN=O.*\r\n/, '')
        .replace(/SUMMARY.*\r\n/, ''),
    );
  });

  it('sets and removes one parameter and nothing else of the line', () => {
    const attendee = (edit: (parts: ReturnType<typeof open>) => void) => /ATTENDEE;CN="D.*/.exec(edited(edit))?.[0];
    const jane = ({ event }: ReturnType<typeof open>) => event.propertiesNamed('ATTENDEE')[0]!;
    expect(attendee((parts) => parts.event.setParameter(jane(parts), 'PARTSTAT', 'ACCEPTED'))).toBe(
      'ATTENDEE;CN="Doe, Jane";MEMBER="mailto:a@x","mailto:b@x";PARTSTAT=ACCEPTED:',
    );
    const summary = edited(({ event }) => event.setParameter(event.property('SUMMARY')!, 'LANGUAGE', 'de'));
    expect(summary).toContain('\r\nSUMMARY;LANGUAGE=de:One\\, two\r\n');
    expect(edited((parts) => parts.event.setParameter(jane(parts), 'cn', 'J'))).toContain(
      'ATTENDEE;CN=J;MEMBER="mailto:a@x","mailto:b@x":mailto:jane@x\r\n',
    );
    expect(edited((parts) => parts.event.setParameter(jane(parts), 'CN', null))).toContain(
      'ATTENDEE;MEMBER="mailto:a@x","mailto:b@x":mailto:jane@x\r\n',
    );
  });

  it('keeps the folding of a line that is set to what it says already', () => {
    const text = SIMPLE.replace('SUMMARY:One', 'SUM\r\n MARY:O\r\n\tne');
    expect(edited(({ event }) => event.setProperty('SUMMARY', 'One\\, two'), text)).toBe(text);
  });

  it.each([
    ['a string', (text: string) => text],
    ['octets', (text: string) => Buffer.from(text)],
  ])('folds new lines at 75 octets and never inside a character, in a document from %s', (_, source) => {
    // Of 38 octets: cuts come at other places of it in each line, inside characters too.
    const value = 'Größe 👩‍👩‍👧 日本語! '.repeat(20).trim();
    const text = edited(({ event }) => event.setProperty('SUMMARY', value), source(SIMPLE));
    const folded = text.slice(text.indexOf('SUMMARY'), text.indexOf('BEGIN:VALARM')).trimEnd().split('\r\n');
    expect(folded.length).toBeGreaterThan(5);
    for (const line of folded) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    for (const line of folded.slice(0, -1)) expect(Buffer.byteLength(line)).toBeGreaterThan(75 - 4);
    expect(text).not.toContain('\ufffd');
    expect(open(Buffer.from(text)).event.property('SUMMARY')?.value).toBe(value);
  });

  it('ends new lines like the others', () => {
    const text = SIMPLE.replaceAll('\r\n', '\n');
    const changed = edited(({ event }) => event.setProperty('COMMENT', 'a'.repeat(100)), text);
    expect(changed).not.toContain('\r');
    expect(changed).toContain('\nCOMMENT:aaa');
  });

  it('adds components after their like, zones before the first event, others at the end', () => {
    const event = 'BEGIN:VEVENT\nUID:2\nSUM\n MARY:a\nEND:VEVENT\n';
    expect(edited(({ calendar }) => calendar.addComponent(event).setProperty('UID', '3'))).toBe(
      SIMPLE.replace('END:VCALENDAR', 'BEGIN:VEVENT\r\nUID:3\r\nSUMMARY:a\r\nEND:VEVENT\r\nEND:VCALENDAR'),
    );
    const zone = 'BEGIN:VTIMEZONE\r\nTZID:A\r\nEND:VTIMEZONE';
    expect(edited(({ calendar }) => void calendar.addComponent(zone))).toContain(
      'Berlin\r\nEND:VTIMEZONE\r\nBEGIN:VTIMEZONE\r\nTZID:A\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT',
    );
    expect(
      edited(({ calendar }) => {
        calendar.removeComponent(calendar.components[0]!);
        calendar.addComponent(zone);
        expect(calendar.components.map(({ name }) => name)).toEqual(['VTIMEZONE', 'VEVENT']);
      }),
    ).toBe(SIMPLE.replace('TZID:Europe/Berlin', 'TZID:A'));
    const { calendar } = open(SIMPLE);
    for (const text of ['', 'UID:1', event + event, 'BEGIN:VEVENT\nUID:1\n', `${event}X:1\n`]) {
      expect(() => calendar.addComponent(text)).toThrow(IcsSyntaxError);
    }
  });

  it('gives the text of a component, also where folds cut its characters', () => {
    const bytes = Buffer.from(SIMPLE.replace('One', 'Öne'));
    const at = bytes.indexOf('Ö') + 1;
    const cut = Buffer.concat([bytes.subarray(0, at), Buffer.from('\r\n '), bytes.subarray(at)]);
    expect(open(SIMPLE).event.text).toBe(SIMPLE.slice(SIMPLE.indexOf('BEGIN:VEVENT'), SIMPLE.indexOf('END:VCAL')));
    const { calendar, event, document } = open(cut);
    expect(event.text).toContain('\r\nSUMMARY:Öne\\, two\r\nBEGIN:VALARM');
    calendar.addComponent(event.text).setProperty('UID', '2');
    expect(written(document).match(/SUMMARY.*/g)?.[1]).toBe('SUMMARY:Öne\\, two');
  });

  it('refuses values that would break out of their line', () => {
    const { event, document } = open(SIMPLE);
    const uid = event.property('UID')!;
    for (const value of ['a\r\nATTENDEE:x', 'a\nb', 'a\rb', '\0', '\x7f', '\x1b']) {
      expect(() => event.setProperty('UID', value)).toThrow(IcsValueError);
      expect(() => event.setProperty('NEW', value)).toThrow(IcsValueError);
      expect(() => event.addProperty('X-A', value)).toThrow(IcsValueError);
      expect(() => event.replaceProperty(uid, value)).toThrow(IcsValueError);
    }
    expect(() => event.addProperty('X A', '1')).toThrow(IcsValueError);
    expect(() => event.addProperty('X:', '1')).toThrow(IcsValueError);
    expect(() => event.addProperty('X', '1', { 'A=B': '1' })).toThrow(IcsValueError);
    expect(() => event.setParameter(uid, 'CN', 'a\0')).toThrow(IcsValueError);
    expect(written(document)).toBe(SIMPLE);
    event.setParameter(uid, 'CN', 'a\r\nATTENDEE:x');
    expect(written(document)).toContain('UID;CN="a^nATTENDEE:x":1\r\n');
    expect(uid.parameter('CN')).toBe('a\nATTENDEE:x');
  });
});
