import { createHash, type Hash } from 'node:crypto';
import { Pace } from '#platform/event-loop';
import { parseDuration } from '#icalendar';
import { FeedError } from './feed-error.js';

export interface FeedComponent {
  start: number;
  end: number;
  /** As written; empty without a UID. */
  uid: string;
  isOverride: boolean;
  sequence: number;
  /** Whether its VCALENDAR has METHOD:CANCEL. */
  isCancelled: boolean;
  /** Bounds of its time, epoch milliseconds, wide enough for any zone. */
  startMs: number;
  endMs: number;
  /** Hash of start, end, rule and title, which identify the event without its UID. */
  likeness: string;
  /** Hash of all lines but those that exporters renew with every download. */
  version: string;
}

export interface FeedText {
  /** One character per octet: lines may fold inside a UTF-8 sequence, and some feeds are not UTF-8. */
  text: string;
  components: FeedComponent[];
  /** VTIMEZONEs by TZID. */
  zones: ReadonlyMap<string, string>;
  /** Lines of the VCALENDARs outside of components. */
  head: string;
}

const MAX_EVENTS = 50_000;
const MAX_HEAD = 64 * 1024;
const MAX_ZONES = 256;
/** A VTIMEZONE with each change of 200 years is smaller. */
const MAX_ZONE_LENGTH = 256 * 1024;
/** Greater than any UTC offset, because a date may be in any zone. */
const ZONE_MS = 26 * 3_600_000;
const DAY_MS = 86_400_000;
const LINES_PER_STEP = 250;

/** Properties of a copy, not of the event. */
const VOLATILE: ReadonlySet<string> = new Set(['DTSTAMP', 'UID', 'CREATED', 'LAST-MODIFIED', 'SEQUENCE']);
const READ: ReadonlySet<string> = new Set([
  'UID',
  'RECURRENCE-ID',
  'SEQUENCE',
  'DTSTART',
  'DTEND',
  'DURATION',
  'RRULE',
  'RDATE',
  'SUMMARY',
]);
const LIKENESS = ['DTSTART', 'DTEND', 'DURATION', 'RRULE', 'RDATE', 'RECURRENCE-ID', 'SUMMARY'];

const SPACE = 32;
const TAB = 9;
const CR = 13;

/**
 * Scans a feed in many turns of the event loop. Tolerates a byte-order mark, any line ends, unclosed components and
 * several VCALENDARs.
 * @throws FeedError for a text that is no calendar, or an incomplete one
 */
export async function readFeedText(octets: string, pace = new Pace()): Promise<FeedText> {
  const text = octets.includes('\n') ? octets : octets.replaceAll('\r', '\n');
  const scanner = new FeedScanner(text);
  for (let lines = 1; scanner.takeLine(); lines += 1) {
    if (lines % LINES_PER_STEP === 0) await pace.step();
  }
  return scanner.end();
}

class FeedScanner {
  private readonly components: FeedComponent[] = [];
  private readonly zones = new Map<string, string>();
  private readonly open: string[] = [];
  private at: number;
  private hasCalendar = false;
  private isCancelled = false;
  private firstEvent = 0;
  private head = '';
  private event: EventScan | null = null;
  private zone: { start: number; tzid: string } | null = null;
  private isVolatile = false;

  constructor(private readonly text: string) {
    this.at = /^(?:\xef\xbb\xbf)?\s*/.exec(text.slice(0, 1_024))?.[0].length ?? 0;
  }

  takeLine(): boolean {
    const { text, at: start } = this;
    if (start >= text.length) return false;
    const lineFeed = text.indexOf('\n', start);
    this.at = lineFeed === -1 ? text.length : lineFeed + 1;
    const first = text.charCodeAt(start);
    // A continuation line is read with its first line.
    if (first === SPACE || first === TAB) return true;
    const name = this.nameAt(start);
    const component = name === 'BEGIN' || name === 'END' ? this.componentAt(start, name) : '';
    if (component === '') this.property(name, start);
    else if (name === 'BEGIN') this.begin(component, start);
    else this.close(component, start);
    return true;
  }

  end(): FeedText {
    if (!this.hasCalendar) throw new FeedError(notACalendar(this.text));
    if (this.open.length > 0) throw new FeedError('truncated');
    const { text, components, zones, head } = this;
    return { text, components, zones, head };
  }

  private begin(name: string, start: number): void {
    this.setVolatile(false, start);
    // A nested event means that the END before it is missing.
    if (name === 'VEVENT' && this.event !== null) this.closeUntil('VEVENT', start);
    this.open.push(name);
    if (name === 'VCALENDAR') {
      this.hasCalendar = true;
      this.isCancelled = false;
      this.firstEvent = this.components.length;
    }
    if (this.open.at(-2) !== 'VCALENDAR') return;
    if (name === 'VEVENT') this.event = new EventScan(start);
    if (name === 'VTIMEZONE') this.zone = { start, tzid: '' };
  }

  private close(name: string, start: number): void {
    this.setVolatile(false, start);
    if (this.open.includes(name)) this.closeUntil(name, start, this.at);
  }

  private closeUntil(name: string, start: number, end = start): void {
    for (let closed = this.open.pop(); closed !== undefined; closed = this.open.pop()) {
      if (closed === 'VEVENT' && this.event !== null) this.addEvent(this.event, start, end);
      if (closed === 'VTIMEZONE' && this.zone !== null) this.addZone(this.zone, end);
      if (closed === 'VCALENDAR' && this.isCancelled) {
        for (const component of this.components.slice(this.firstEvent)) component.isCancelled = true;
      }
      if (closed === name) return;
    }
  }

  private property(name: string, start: number): void {
    const owner = this.open.at(-1);
    if (this.event !== null) {
      this.setVolatile(VOLATILE.has(name), start);
      if (owner === 'VEVENT' && READ.has(name)) this.event.read(name, this.lineAt(start));
    } else if (this.zone !== null) {
      if (name === 'TZID' && owner === 'VTIMEZONE') this.zone.tzid = this.valueOf(start, name);
    } else if (owner === 'VCALENDAR') {
      const line = this.lineAt(start);
      if (name === 'METHOD') this.isCancelled = /^METHOD[^:]*:\s*CANCEL\s*$/i.test(line);
      else if (this.head.length + line.length < MAX_HEAD) this.head += `${line}\r\n`;
    }
  }

  /** Whether the version of the event ignores this line and its continuations. */
  private setVolatile(isVolatile: boolean, start: number): void {
    if (this.event === null || isVolatile === this.isVolatile) return;
    if (isVolatile) this.event.hashUntil(this.text, start);
    else this.event.hashFrom(start);
    this.isVolatile = isVolatile;
  }

  private addEvent(event: EventScan, start: number, end: number): void {
    this.event = null;
    event.hashUntil(this.text, start);
    if (this.components.length === MAX_EVENTS) throw new FeedError('too-many-events');
    this.components.push(event.component(end));
  }

  private addZone({ start, tzid }: { start: number; tzid: string }, end: number): void {
    this.zone = null;
    if (tzid === '' || this.zones.has(tzid) || this.zones.size === MAX_ZONES || end - start > MAX_ZONE_LENGTH) return;
    this.zones.set(tzid, this.text.slice(start, end));
  }

  /** Upper-case; empty for a line without a name. */
  private nameAt(start: number): string {
    const { text } = this;
    // Longer than any name of interest.
    const beginning = text.slice(start, Math.min(this.at, start + 16));
    const end = beginning.search(/[:;]/);
    return end === -1 ? '' : beginning.slice(0, end).toUpperCase();
  }

  /** Upper-case; empty for a line without a component's name, or with parameters, as for the reader of events. */
  private componentAt(start: number, keyword: 'BEGIN' | 'END'): string {
    const line = this.lineAt(start);
    return line[keyword.length] === ':'
      ? line
          .slice(keyword.length + 1)
          .trim()
          .toUpperCase()
      : '';
  }

  private valueOf(start: number, name: string): string {
    const line = this.lineAt(start);
    return line.slice(line.indexOf(':', name.length) + 1).trim();
  }

  /** Returns the unfolded line (RFC 5545 §3.1) without its end. */
  private lineAt(start: number): string {
    const { text } = this;
    let from = start;
    let line = '';
    for (;;) {
      const lineFeed = text.indexOf('\n', from);
      let end = lineFeed === -1 ? text.length : lineFeed;
      const next = end + 1;
      while (end > from && text.charCodeAt(end - 1) === CR) end -= 1;
      line += text.slice(from, end);
      const first = text.charCodeAt(next);
      if (first !== SPACE && first !== TAB) return line;
      from = next + 1;
    }
  }
}

class EventScan {
  private readonly hash: Hash = createHash('sha256');
  private readonly lines = new Map<string, string>();
  private hashedTo: number;

  constructor(private readonly start: number) {
    this.hashedTo = start;
  }

  hashUntil(text: string, end: number): void {
    this.hash.update(text.slice(this.hashedTo, end), 'latin1');
    this.hashedTo = end;
  }

  hashFrom(start: number): void {
    this.hashedTo = start;
  }

  read(name: string, line: string): void {
    const known = this.lines.get(name);
    // Rules and dates add up; of other properties the first one counts.
    if (known === undefined) this.lines.set(name, line);
    else if (name === 'RRULE' || name === 'RDATE') this.lines.set(name, `${known}\n${line}`);
  }

  component(end: number): FeedComponent {
    const likeness = LIKENESS.map((name) => this.lines.get(name) ?? '').join('\n');
    return {
      start: this.start,
      end,
      uid: (this.lines.get('UID') ?? '').replace(/^[^:]*:/, '').trim(),
      isOverride: this.lines.has('RECURRENCE-ID'),
      sequence: Number.parseInt(this.value('SEQUENCE'), 10) || 0,
      isCancelled: false,
      ...this.extent(),
      likeness: createHash('sha256').update(likeness, 'latin1').digest('base64url').slice(0, 22),
      version: this.hash.digest('base64url').slice(0, 12),
    };
  }

  private extent(): { startMs: number; endMs: number } {
    const always = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY };
    const startMs = wallMs(this.value('DTSTART'));
    if (startMs === null || this.lines.has('RDATE')) return always;
    const lengthMs = this.lengthMs(startMs);
    const lastMs = this.lines.has('RRULE') ? untilMs(this.lines.get('RRULE') ?? '') : startMs;
    return { startMs: startMs - ZONE_MS, endMs: Math.max(startMs, lastMs) + lengthMs + ZONE_MS };
  }

  /** Lower bound; dates last a day. */
  private lengthMs(startMs: number): number {
    const endMs = wallMs(this.value('DTEND'));
    const duration = parseDuration(this.value('DURATION'));
    const ms = duration === null ? 0 : duration.days * DAY_MS + duration.seconds * 1_000;
    return Math.max(DAY_MS, ms, endMs === null ? 0 : endMs - startMs);
  }

  /** For properties whose values hold no colon; their parameters may hold some. */
  private value(name: string): string {
    const line = this.lines.get(name) ?? '';
    return line.slice(line.lastIndexOf(':') + 1);
  }
}

/** Reads the time as UTC; null for an invalid date. */
function wallMs(value: string): number | null {
  const [, year, month, day, hour = '0', minute = '0'] = /^\s*(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d))?/.exec(value) ?? [];
  if (year === undefined) return null;
  const ms = new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return ms + (Number(hour) * 60 + Number(minute)) * 60_000;
}

/** End of a single rule; several rules, or one without UNTIL, count as endless. */
function untilMs(rules: string): number {
  const until = /^[^\n]*[;:]UNTIL=(\d{8})[^\n]*$/i.exec(rules)?.[1];
  return (until === undefined ? null : wallMs(until)) ?? Number.POSITIVE_INFINITY;
}

function notACalendar(text: string): 'empty' | 'web-page' | 'not-a-calendar' {
  const beginning = text
    .slice(0, 1_024)
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart();
  if (beginning === '') return 'empty';
  return beginning.startsWith('<') ? 'web-page' : 'not-a-calendar';
}
