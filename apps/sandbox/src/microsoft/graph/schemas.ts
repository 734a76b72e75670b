import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { components, type Schema } from './document.js';

const DOCUMENT = 'graph';
/** By reference, or by schema object for inline ones. */
const compiled = new Map<Schema | string, ValidateFunction>();
let ajv: Ajv2020 | undefined;

/** Returns the first violation of a schema; null for a valid value. */
export function findProblem(schema: Schema, value: unknown): ErrorObject | null {
  const validate = compiled.get(schema.$ref ?? schema) ?? compile(schema);
  return validate(value) ? null : (validate.errors?.[0] ?? null);
}

/** Compiles schemas on demand, because all of them take seconds. */
function compile(schema: Schema): ValidateFunction {
  ajv ??= prepared();
  const text = JSON.stringify(schema);
  const absolute = JSON.parse(text, (name, value: unknown) =>
    name === '$ref' ? DOCUMENT + String(value) : value,
  ) as object;
  const validate = ajv.compile(absolute);
  compiled.set(schema.$ref ?? schema, validate);
  return validate;
}

function prepared(): Ajv2020 {
  // OpenAPI has keywords that JSON Schema does not know.
  const made = new Ajv2020({ strict: false });
  formats.default(made);
  return made.addSchema({ $id: DOCUMENT, components });
}
