import { EgressError } from '#egress';
import { Pace } from '#platform/event-loop';

/** Values in one answer: a page of 2,500 events with fifty attendees each has 600,000. Each takes some 50 bytes. */
const MAX_VALUES = 700_000;
/** Values in one item of a list, and in all that is no list: an event with 500 attendees has 2,500. Some milliseconds. */
const MAX_ITEM_VALUES = 25_000;
/** An answer that is no longer is parsed at once: it takes some milliseconds, whatever it is made of. */
const SMALL_BYTES = 384 * 1024;
/** Between two looks at the time. */
const LOOK_EVERY_BYTES = 16 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * An answer of an API that answers with one object, always. A long one is parsed item by item of its lists, in turns of the
 * event loop with others: at once it would hold the loop for up to a second, and take half a gigabyte.
 * @throws EgressError bad-answer; too-large for more values than an answer of such an API has
 */
export async function readJsonObject(body: Buffer, smallBytes = SMALL_BYTES): Promise<object> {
  const value = body.length <= smallBytes ? parsed(body, 0, body.length) : await new ListReader(body).read();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new EgressError('bad-answer', { rule: 'json object' });
  }
  return value;
}

/** Finds the lists that are members of the outermost object, and their items. Whether it is JSON is found out by parsing. */
class ListReader {
  /** What is no item, with the number of each list in its place. */
  private frame = '';
  private readonly lists: unknown[][] = [];
  private values = 0;

  constructor(private readonly body: Buffer) {}

  async read(): Promise<unknown> {
    const { body } = this;
    const pace = new Pace();
    let depth = 0;
    let list: unknown[] | null = null;
    /** Where the item began, or the part of the frame. */
    let from = 0;
    let itemValues = 0;
    let frameValues = 0;
    let lookAt = LOOK_EVERY_BYTES;
    for (let at = 0; at < body.length; at += 1) {
      if (at >= lookAt) {
        await pace.step();
        lookAt = at + LOOK_EVERY_BYTES;
      }
      const byte = body[at];
      if (byte === QUOTE) at = endOfText(body, at);
      else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
        depth += 1;
        if (byte === OPEN_BRACKET && depth === 2 && list === null) {
          this.frame += `${this.text(from, at + 1)}${this.lists.length}`;
          list = [];
          this.lists.push(list);
          from = at + 1;
          itemValues = 0;
        }
        this.count(list === null ? (frameValues += 1) : (itemValues += 1));
      } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
        if (list !== null && depth === 2) {
          if (list.length > 0 || this.text(from, at).trim() !== '') list.push(parsed(body, from, at));
          list = null;
          from = at;
        }
        depth -= 1;
      } else if (byte === COMMA) {
        this.count(list === null ? (frameValues += 1) : (itemValues += 1));
        if (list !== null && depth === 2) {
          list.push(parsed(body, from, at));
          from = at + 1;
          itemValues = 0;
        }
      }
    }
    if (list !== null) throw new EgressError('bad-answer', { rule: 'json' });
    const value = parsed(Buffer.from(this.frame + this.text(from, body.length)));
    return typeof value === 'object' && value !== null ? this.filled(value) : value;
  }

  private filled(frame: object): object {
    for (const [name, value] of Object.entries(frame)) {
      if (Array.isArray(value)) Object.defineProperty(frame, name, { ...PLAIN, value: this.lists[value[0] as number] });
    }
    return frame;
  }

  private text(from: number, to: number): string {
    return this.body.toString('utf8', from, to);
  }

  /** What begins a value or parts two: there are no more values than of these. */
  private count(values: number): void {
    this.values += 1;
    if (values > MAX_ITEM_VALUES || this.values > MAX_VALUES)
      throw new EgressError('too-large', { rule: 'json values' });
  }
}

/** As JSON.parse makes them, `__proto__` too. */
const PLAIN = { writable: true, enumerable: true, configurable: true };

function parsed(body: Buffer, from = 0, to = body.length): unknown {
  try {
    return JSON.parse(body.toString('utf8', from, to));
  } catch {
    // What the parser says quotes the answer.
    throw new EgressError('bad-answer', { rule: 'json' });
  }
}

/** Where the quote is that ends the text which begins at `start`. */
function endOfText(body: Buffer, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = body.indexOf(QUOTE, at);
    if (at === -1) return body.length;
    let escapes = at - 1;
    while (body[escapes] === BACKSLASH) escapes -= 1;
    // One that is escaped ends nothing; two backslashes are one that is escaped itself.
    if ((at - escapes) % 2 === 1) return at;
  }
}
