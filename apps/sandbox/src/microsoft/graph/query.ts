import type { GraphOperation, Parameter } from './document.js';
import { IncorrectRequest } from './graph-error.js';

const DELTA_OPTIONS: ReadonlySet<string> = new Set([
  '$select',
  '$expand',
  '$filter',
  '$orderby',
  '$search',
  '$top',
  '$skip',
]);

/** Reads a query that the document allows. @throws IncorrectRequest */
export function readQuery(operation: GraphOperation, query: URLSearchParams): Record<string, string> {
  const read: Record<string, string> = {};
  for (const [name, value] of query) {
    const parameter = operation.query.get(name);
    if (parameter === undefined) throw unknownParameter(operation, name);
    if (Object.hasOwn(read, name))
      throw badQuery(`${name} is given twice`, `Query option '${name}' was specified more than once.`);
    requireValue(parameter, value);
    read[name] = value;
  }
  for (const [name, { required }] of operation.query) {
    if (required === true && read[name] === undefined) throw missingParameter(name);
  }
  return read;
}

function requireValue({ name, schema }: Parameter, value: string): void {
  const wrong = (why: string): IncorrectRequest =>
    badQuery(`${name}: ${why}`, `Invalid value '${value}' for ${name} query option found. ${why}`);
  switch (schema.type) {
    case 'integer': {
      const number = Number(value);
      if (!/^\d+$/.test(value) || !Number.isSafeInteger(number)) throw wrong('It must be an integer.');
      if (number < (schema.minimum ?? 0) || number > (schema.maximum ?? Infinity)) throw wrong('It is out of range.');
      return;
    }
    case 'boolean':
      if (value !== 'true' && value !== 'false') throw wrong('It must be true or false.');
      return;
    case 'array': {
      const known = schema.items?.enum;
      const stranger = value.split(',').find((item) => known?.includes(item.trim()) === false);
      if (stranger !== undefined) throw wrong(`Could not find a property named '${stranger}'.`);
      return;
    }
    case 'string':
      if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) throw wrong('It cannot be read.');
  }
}

function unknownParameter(operation: GraphOperation, name: string): IncorrectRequest {
  if (operation.path.endsWith('/delta') && DELTA_OPTIONS.has(name)) {
    const message = `The following parameters are not supported with change tracking over the 'CalendarView' resource: '$orderby, $filter, $select, $expand, $search, $top'.`;
    return new IncorrectRequest(`${name} on delta`, 400, 'ErrorInvalidUrlQuery', message);
  }
  return badQuery(
    `unknown parameter ${name}`,
    `The query specified in the URI is not valid. Unknown option '${name}'.`,
  );
}

function missingParameter(name: string): IncorrectRequest {
  const message =
    'This request requires a time window specified by the query string parameters StartDateTime and EndDateTime.';
  return new IncorrectRequest(`parameter ${name} is missing`, 400, 'ErrorInvalidParameter', message);
}

function badQuery(violation: string, message: string): IncorrectRequest {
  return new IncorrectRequest(violation, 400, 'BadRequest', message);
}
