import { scanComponents } from './component-scanner.js';
import type { EditableComponent } from './component.js';
import { IcsSyntaxError } from './errors.js';
import { OBJECT_LIMITS } from './limits.js';
import type { IcsLimits } from './limits.js';
import { cutLines } from './line-table.js';
import { OCTET_TEXT, UNICODE_TEXT } from './raw-text.js';
import type { RawText } from './raw-text.js';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * An iCalendar text (RFC 5545) for reading and editing in place. Unchanged parts keep their bytes: `toBytes()` of an
 * unchanged document returns its source.
 */
export class IcsDocument {
  private constructor(
    private readonly preamble: string,
    private readonly root: EditableComponent,
    private readonly raw: RawText,
  ) {}

  /**
   * Parses tolerantly: keeps and ignores broken lines, and ends a component without END with the text.
   * @param source octets from a server, or text from an already decoded document
   * @param limits differences from OBJECT_LIMITS
   * @throws IcsSyntaxError without a VCALENDAR, or beyond a limit
   */
  static parse(source: Uint8Array | string, limits: Partial<IcsLimits> = {}): IcsDocument {
    const bounds = { ...OBJECT_LIMITS, ...limits };
    if (isLarger(source, bounds.maxBytes)) {
      throw new IcsSyntaxError(`iCalendar object is larger than ${bounds.maxBytes} bytes`);
    }
    const raw = typeof source === 'string' ? UNICODE_TEXT : OCTET_TEXT;
    const text =
      typeof source === 'string'
        ? source
        : Buffer.from(source.buffer, source.byteOffset, source.byteLength).toString('latin1');
    const mark = raw.encode(BYTE_ORDER_MARK);
    const preamble = text.startsWith(mark) ? mark : '';
    const root = scanComponents(cutLines(text, preamble.length, bounds), raw, bounds);
    const document = new IcsDocument(preamble, root, raw);
    if (document.calendars.length === 0) throw new IcsSyntaxError('Text holds no VCALENDAR');
    return document;
  }

  get calendars(): EditableComponent[] {
    return this.root.componentsNamed('VCALENDAR');
  }

  /** Whether an event is outside all calendars, or its lines are in no component because its BEGIN is missing. */
  get hidesEvents(): boolean {
    const around = [this.root, ...this.calendars];
    return this.root.componentsNamed('VEVENT').length > 0 || around.some((part) => part.property('DTSTART'));
  }

  toBytes(): Buffer {
    return this.raw.toBytes(this.preamble + this.root.toRaw());
  }
}

function isLarger(source: Uint8Array | string, maxBytes: number): boolean {
  if (typeof source !== 'string') return source.byteLength > maxBytes;
  // A UTF-16 code unit takes one to three octets of UTF-8.
  if (source.length > maxBytes) return true;
  return source.length * 3 > maxBytes && Buffer.byteLength(source, 'utf8') > maxBytes;
}
