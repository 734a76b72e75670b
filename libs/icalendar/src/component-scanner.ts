import { EditableComponent } from './component.js';
import { IcsSyntaxError } from './errors.js';
import type { IcsLimits } from './limits.js';
import { UNBOUNDED_LIMITS } from './limits.js';
import { bodyOf, cutLines } from './line-table.js';
import type { LineTable } from './line-table.js';
import type { RawText } from './raw-text.js';

const COLON = 58;

/**
 * Finds the components of a text. The returned root has no name and stands for the whole text. Tests lines by their
 * first letter. A component without END ends with its parent, or before the next VEVENT of the calendar; an END without
 * BEGIN is an ordinary line.
 * @throws IcsSyntaxError when the text exceeds a limit
 */
export function scanComponents(table: LineTable, raw: RawText, limits: IcsLimits): EditableComponent {
  const { text, starts, count } = table;
  const names = new Map<string, string>();
  const root = new EditableComponent('', null, -1, table, raw, readComponent);
  const open: EditableComponent[] = [root];
  let current = root;
  let events = 0;
  let attendees = 0;
  let alarms = 0;
  let dates = 0;
  const countDates = (index: number) => {
    dates += (starts[index + 1] ?? 0) - (starts[index] ?? 0);
    if (dates > limits.maxDates)
      throw new IcsSyntaxError(`iCalendar object has more than ${limits.maxDates} characters of dates`);
  };
  for (let index = 0; index < count; index += 1) {
    // Lower-cases the letter. No other character maps to one of the four letters below.
    const initial = text.charCodeAt(starts[index] ?? 0) | 0x20;
    if (initial === 0x61) {
      if (!isNamed(table, index, 'ATTENDEE')) continue;
      attendees += 1;
      if (attendees > limits.maxAttendees) {
        throw new IcsSyntaxError(`Component has more than ${limits.maxAttendees} attendees`);
      }
    } else if (initial === 0x62) {
      const name = delimiterName(table, index, 'BEGIN', names);
      if (name === null) continue;
      if (open.length > limits.maxDepth) {
        throw new IcsSyntaxError(`iCalendar object is nested more than ${limits.maxDepth} deep`);
      }
      if (name === 'VEVENT' && (events += 1) > limits.maxEvents) {
        throw new IcsSyntaxError(`iCalendar object has more than ${limits.maxEvents} events`);
      }
      if (name === 'VALARM' && (alarms += 1) > limits.maxAlarms) {
        throw new IcsSyntaxError(`Component has more than ${limits.maxAlarms} alarms`);
      }
      if (name === 'VEVENT') current = closeBefore(open, index) ?? current;
      const child = new EditableComponent(name, current, index, table, raw, readComponent);
      current.append(child);
      open.push(child);
      current = child;
      // Limits apply per child of VCALENDAR, with its nested components.
      if (open.length === 3) attendees = alarms = 0;
    } else if (initial === 0x72) {
      if (isNamed(table, index, 'RDATE')) countDates(index);
    } else if (initial === 0x65) {
      if (isNamed(table, index, 'EXDATE')) countDates(index);
      const name = delimiterName(table, index, 'END', names);
      if (name === null) continue;
      const depth = open.findLastIndex((component) => component.name === name);
      if (depth < 1) continue;
      while (open.length - 1 > depth) close(open, index);
      close(open, index + 1).isClosed = true;
      current = open.at(-1) ?? root;
    }
  }
  return root;
}

/**
 * Reads one component that this service composed, in the raw form and with the line ends of a document.
 * @throws IcsSyntaxError for anything but one complete component
 */
export function readComponent(text: string, raw: RawText, eol: string): EditableComponent {
  const source = cutLines(text, 0);
  const lines: string[] = [];
  for (let index = 0; index < source.count; index += 1) {
    const body = bodyOf(source, index);
    if (body !== '') lines.push(raw.fold(raw.encode(body), eol) + eol);
  }
  const table = { ...cutLines(lines.join(''), 0), eol };
  const root = scanComponents(table, raw, UNBOUNDED_LIMITS);
  const [component, ...others] = root.components;
  if (!component?.isClosed || others.length > 0 || component.lineStart !== 0 || component.lineEnd !== table.count) {
    throw new IcsSyntaxError('Expected the lines of exactly one component, from its BEGIN to its END');
  }
  return component;
}

/** Closes what is open in the calendar: a VEVENT is in a calendar, never in another component (RFC 5545, 3.6.1). */
function closeBefore(open: EditableComponent[], index: number): EditableComponent | undefined {
  const calendar = open.findLastIndex((component) => component.name === 'VCALENDAR');
  while (calendar > 0 && open.length - 1 > calendar) close(open, index);
  return open.at(-1);
}

function close(open: EditableComponent[], lineEnd: number): EditableComponent {
  const component = open.pop();
  if (!component) throw new Error('No component is open');
  component.lineEnd = lineEnd;
  return component;
}

/** Returns the upper-case component name of a BEGIN or END line; null for any other line. */
function delimiterName(
  table: LineTable,
  index: number,
  keyword: 'BEGIN' | 'END',
  names: Map<string, string>,
): string | null {
  const start = table.starts[index] ?? 0;
  const end = table.ends[index] ?? 0;
  if (end > 0 && table.text.charCodeAt(start + keyword.length) !== COLON) return null;
  const body = bodyOf(table, index);
  if (body.charCodeAt(keyword.length) !== COLON || body.slice(0, keyword.length).toUpperCase() !== keyword) return null;
  const written = body.slice(keyword.length + 1);
  let name = names.get(written);
  if (name === undefined) {
    name = written.trim().toUpperCase();
    names.set(written, name);
  }
  return name === '' ? null : name;
}

function isNamed(table: LineTable, index: number, name: string): boolean {
  const start = table.starts[index] ?? 0;
  return table.text.slice(start, start + name.length).toUpperCase() === name;
}
