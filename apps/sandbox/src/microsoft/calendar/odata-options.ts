import { parseFilter } from './odata-filter.js';
import { invalidFilter, invalidQuery } from './errors.js';

/** One resource as JSON. */
export type Row = Record<string, unknown>;
type Query = Readonly<Record<string, string>>;

const USUAL_PAGE = 10;
const MAX_PAGE_SIZE = 1_000;

/** `$expand` options by navigation property. */
export type Expansions = ReadonlyMap<string, Query>;

/**
 * Parses `$expand`: properties, each with its options in parentheses.
 * @param offered expandable properties
 * @throws GraphErrorResponse 400
 */
export function expansionsOf(query: Query, offered: readonly string[]): Expansions {
  const expansions = new Map<string, Query>();
  for (const part of splitOutside(query['$expand'] ?? '', ',')) {
    const [, name = '', options = ''] = /^\s*(\w+)\s*(?:\((.*)\))?\s*$/s.exec(part) ?? [];
    if (!offered.includes(name)) throw invalidQuery(`Could not find a property named '${name.slice(0, 60)}'.`);
    const pairs = splitOutside(options, ';').map((option) => {
      const at = option.indexOf('=');
      return [option.slice(0, at).trim(), option.slice(at + 1).trim()] as const;
    });
    expansions.set(name, Object.fromEntries(pairs));
  }
  return expansions;
}

/**
 * Returns the filter of extended properties. Without `$expand` none match; Graph cannot return all.
 * @throws GraphErrorResponse 400 without a `$filter`
 */
export function propertyTest(options: Query | undefined): (row: Row) => boolean {
  if (options === undefined) return () => false;
  const filter = options['$filter'];
  if (filter === undefined) throw invalidFilter('Extended properties must be filtered by their id.');
  return parseFilter(filter);
}

/** Names in `$select`; null for everything. */
export function selectionOf(query: Query): ReadonlySet<string> | null {
  const names = splitOutside(query['$select'] ?? '', ',').map((name) => name.trim());
  return names.length === 0 ? null : new Set(names);
}

/** Keeps selected fields; annotations and the id always stay. */
export function selected(row: Row, selection: ReadonlySet<string> | null): Row {
  if (selection === null) return row;
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => name === 'id' || name.startsWith('@') || selection.has(name)),
  );
}

/** Applies `$filter` and `$orderby`. @throws GraphErrorResponse 400 */
export function arranged(rows: readonly Row[], query: Query): Row[] {
  const filter = query['$filter'];
  const kept = filter === undefined ? [...rows] : rows.filter(parseFilter(filter));
  const orders = splitOutside(query['$orderby'] ?? '', ',').map((part) => {
    const [path = '', direction = 'asc'] = part.trim().split(/\s+/);
    return { path: path.split('/'), sign: direction === 'desc' ? -1 : 1 };
  });
  return kept.sort((one, other) => {
    for (const { path, sign } of orders) {
      const order = sign * compare(at(one, path), at(other, path));
      if (order !== 0) return order;
    }
    return 0;
  });
}

/**
 * Returns one page of a list. A full page has a next link, even if no row follows.
 * @param url of the list, without its query
 * @throws GraphErrorResponse 400
 */
export function pageOf(rows: readonly Row[], query: Query, url: string): Row {
  const top = wholeNumber(query, '$top', USUAL_PAGE);
  if (top < 1 || top > MAX_PAGE_SIZE) throw invalidQuery(`The value of $top must be between 1 and ${MAX_PAGE_SIZE}.`);
  const skip = wholeNumber(query, '$skip', 0);
  const value = rows.slice(skip, skip + top);
  const next = new URLSearchParams({ ...query, $top: String(top), $skip: String(skip + top) });
  return {
    ...(query['$count'] === 'true' && { '@odata.count': rows.length }),
    value,
    ...(value.length === top && { '@odata.nextLink': `${url}?${next.toString()}` }),
  };
}

/** Splits at separators outside quotes and parentheses; an empty text has no parts. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let part = '';
  let depth = 0;
  let isQuoted = false;
  for (const character of text) {
    if (character === "'") isQuoted = !isQuoted;
    else if (!isQuoted && character === '(') depth += 1;
    else if (!isQuoted && character === ')') depth -= 1;
    if (character === separator && depth === 0 && !isQuoted) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  return part.trim() === '' ? parts : [...parts, part];
}

function wholeNumber(query: Query, name: string, otherwise: number): number {
  const text = query[name];
  if (text === undefined) return otherwise;
  if (!/^\d{1,9}$/.test(text)) throw invalidQuery(`The value of ${name} must be a whole number.`);
  return Number(text);
}

function at(row: Row, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? (value as Row)[name] : undefined),
    row,
  );
}

function compare(one: unknown, other: unknown): number {
  if (typeof one !== 'string' || typeof other !== 'string') return Number(one) - Number(other) || 0;
  const [left, right] = [one.toLowerCase(), other.toLowerCase()];
  return left < right ? -1 : Number(left > right);
}
