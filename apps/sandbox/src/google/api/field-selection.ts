import { schemaNamed, type SchemaSpec } from './discovery.js';
import { invalidParameter } from './parameters.js';

/** Names to keep, each with its own selection; null keeps all of it. */
type Selection = ReadonlyMap<string, Selection | null>;

/**
 * Selects the parts of a response in `fields`: `nextPageToken,items(id,start/dateTime)`, `*` for every name.
 * https://developers.google.com/workspace/calendar/api/guides/performance#partial
 * @throws IncorrectRequest for an unreadable selection or an unknown name
 */
export function selectFields(fields: string, schemaName: string, response: unknown): unknown {
  const selection = parseSelection(fields);
  checkSelection(selection, schemaNamed(schemaName), fields);
  return selected(response, selection);
}

function parseSelection(fields: string): Selection {
  const tokens = fields.match(/[A-Za-z_]\w*|[*,/()]|\s+|./g) ?? [];
  let position = 0;
  const fail = (): never => {
    throw invalidSelection(fields);
  };
  const list = (): Selection => {
    const selection = new Map<string, Selection | null>();
    do {
      const [name, part] = item();
      selection.set(name, merged(selection, name, part));
    } while (tokens[position] === ',' && ++position > 0);
    return selection;
  };
  const item = (): [string, Selection | null] => {
    const name = tokens[position++] ?? '';
    if (!/^(?:\w+|\*)$/.test(name)) fail();
    if (tokens[position] === '/') {
      position += 1;
      return [name, new Map([item()])];
    }
    if (tokens[position] !== '(') return [name, null];
    position += 1;
    const part = list();
    if (tokens[position++] !== ')') fail();
    return [name, part];
  };
  const selection = list();
  if (position !== tokens.length) fail();
  return selection;
}

/** `a/b,a/c` keeps both. */
function merged(known: Selection, name: string, part: Selection | null): Selection | null {
  const before = known.get(name);
  if (before === undefined) return part;
  if (before === null || part === null) return null;
  const both = new Map(before);
  for (const [inner, selection] of part) both.set(inner, merged(both, inner, selection));
  return both;
}

function checkSelection(selection: Selection, schema: SchemaSpec, fields: string): void {
  const { properties, additionalProperties } = container(schema);
  for (const [name, part] of selection) {
    const inner = Object.hasOwn(properties ?? {}, name) ? properties?.[name] : additionalProperties;
    if (name === '*' ? properties === undefined && inner === undefined : inner === undefined) {
      throw invalidSelection(fields);
    }
    if (part !== null && inner !== undefined) checkSelection(part, inner, fields);
  }
}

/** Selections apply to list items and referenced schemas. */
function container(schema: SchemaSpec): SchemaSpec {
  if (schema.$ref !== undefined) return container(schemaNamed(schema.$ref));
  return schema.items !== undefined ? container(schema.items) : schema;
}

function selected(value: unknown, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map((item) => selected(item, selection));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const part = selection.has(name) ? selection.get(name) : selection.get('*');
      if (part === undefined) return [];
      return [[name, part === null ? item : selected(item, part)]];
    }),
  );
}

function invalidSelection(fields: string): Error {
  return invalidParameter('fields', `Invalid field selection ${fields}`);
}
