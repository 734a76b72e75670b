import { createHash } from 'node:crypto';
import type { SingleValueLegacyExtendedProperty } from '@microsoft/microsoft-graph-types';
import type { EventInput, ExtendedProperties } from '#domain/events';
import { invalid } from '#domain/system';
import { listOf, recordOf, textOf } from '#providers/kit/events';

/**
 * Fixed names, because a mailbox keeps every name for good and has room for some thousands
 * (https://learn.microsoft.com/graph/api/resources/extended-properties-overview).
 */
const NAMESPACE = '{6f1d2c3b-4a59-4e68-8777-8695a4b3c2d1}';
const NAMES = [
  'ucPublic',
  'ucPrivate',
  'ucIndex',
  'ucEventType',
  'ucHexColor',
  'ucTimeZone',
  'ucRule',
  'ucPending',
  'ucWrite',
] as const;
export type OwnName = (typeof NAMES)[number];
/** An empty text means none, because Graph removes no property. */
export type OwnProperties = ReadonlyMap<OwnName, string>;

export const MAX_CHARACTERS = 32_000;
/** Enough to distinguish ten thousand properties. */
const INDEX_DIGITS = 12;

/** Graph returns extended properties only on request. */
export const EXPAND_OWN = `singleValueExtendedProperties($filter=${NAMES.map((name) => `id eq '${idOf(name)}'`).join(' or ')})`;

/** In lower case, because Graph may write the namespace in capitals. */
const NAMES_BY_ID: ReadonlyMap<string, OwnName> = new Map(NAMES.map((name) => [idOf(name).toLowerCase(), name]));

export function ownPropertiesOf(raw: { singleValueExtendedProperties?: unknown }): OwnProperties {
  const read = new Map<OwnName, string>();
  for (const value of listOf(raw.singleValueExtendedProperties)) {
    const { id, value: text } = recordOf(value);
    const name = typeof id === 'string' ? NAMES_BY_ID.get(id.toLowerCase()) : undefined;
    if (name !== undefined && typeof text === 'string') read.set(name, text);
  }
  return read;
}

export function writtenProperties(changes: OwnProperties): SingleValueLegacyExtendedProperty[] {
  return [...changes].map(([name, value]) => ({ id: idOf(name), value }));
}

const CALLERS = { ucPublic: 'publicExtendedProperties', ucPrivate: 'privateExtendedProperties' } as const;

/** Reads properties of callers; none when another client wrote an unreadable text. */
export function callersProperties(own: OwnProperties, name: keyof typeof CALLERS): ExtendedProperties {
  return Object.fromEntries(
    Object.entries(recordOf(parsedJson(own.get(name)))).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

/** @throws DomainError ValidationFailed */
export function changedProperties(
  input: EventInput,
  current: OwnProperties,
  transactionId?: string,
): Map<OwnName, string> {
  const changes = new Map<OwnName, string>();
  const after = (name: keyof typeof CALLERS): ExtendedProperties => {
    const before = callersProperties(current, name);
    const path = CALLERS[name];
    const wanted = input[path] === undefined ? before : (input[path] ?? {});
    const text = canonicalJson(wanted);
    if (text === canonicalJson(before)) return wanted;
    if (text.length > MAX_CHARACTERS) throw invalid(path, `must not have more than ${MAX_CHARACTERS} characters`);
    changes.set(name, text);
    return wanted;
  };
  const [shared, own] = [after('ucPublic'), after('ucPrivate')];
  if (changes.size > 0 || transactionId !== undefined) {
    const kept =
      transactionId === undefined ? (current.get('ucIndex') ?? '').match(/\|t[0-9a-f]{12}(?=\|)/)?.[0] : undefined;
    changes.set('ucIndex', indexOf(shared, own, kept ?? transactionMark(transactionId)));
  }
  return changes;
}

export function madeByFilter(transactionId: string): string {
  return `singleValueExtendedProperties/Any(ep: ep/id eq '${idOf('ucIndex')}' and contains(ep/value,'${transactionMark(transactionId)}|'))`;
}

function idOf(name: OwnName): string {
  return `String ${NAMESPACE} Name ${name}`;
}

/** Returns `|digest|digest|`, searchable by a property or a transaction. */
function indexOf(shared: ExtendedProperties, own: ExtendedProperties, mark: string): string {
  const entries = [
    ...Object.entries(shared).map(([key, value]) => `pub:${key}=${value}`),
    ...Object.entries(own).map(([key, value]) => `priv:${key}=${value}`),
  ];
  return `${mark}|${entries.map((entry) => `${digest(entry)}|`).join('')}`;
}

function transactionMark(transactionId: string | undefined): string {
  return transactionId === undefined ? '' : `|t${digest(transactionId)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, INDEX_DIGITS);
}

function canonicalJson(properties: ExtendedProperties): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(properties).sort(([one], [other]) => (one < other ? -1 : 1))),
  );
}

export function parsedJson(text: string | undefined): unknown {
  if (textOf(text) === undefined) return null;
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}
