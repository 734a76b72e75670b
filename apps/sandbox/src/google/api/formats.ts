import { wallOfText } from '../../time-zones.js';

/** RFC 3339 §5.6 with an offset. */
export function isInstant(text: string): boolean {
  return isDateTime(text) && /(?:Z|[+-]\d{2}:\d{2})$/i.test(text);
}

/** RFC 3339 §5.6; the offset may be missing when a time zone is given. */
export function isDateTime(text: string): boolean {
  const [, date = '', hour, minute, second, offsetHour = '00', offsetMinute = '00'] =
    /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:Z|[+-](\d{2}):(\d{2}))?$/i.exec(text) ?? [];
  return (
    isDate(date) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) <= 60 &&
    Number(offsetHour) < 24 &&
    Number(offsetMinute) < 60
  );
}

/** An existing day, `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && wallOfText(text) !== null;
}

export function isInt32(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
}
