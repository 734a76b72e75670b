import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { components, type Schema } from './document.js';

const DOCUMENT = 'graph';
/** By their reference, or the inline ones by themselves. */
const compiled = new Map<Schema | string, ValidateFunction>();
let ajv: Ajv2020 | undefined;

/** The first thing about a value that a schema of the document does not allow; null: it is as it should be. */
export function findProblem(schema: Schema, value: unknown): ErrorObject | null {
  const validate = compiled.get(schema.$ref ?? schema) ?? compile(schema);
  return validate(value) ? null : (validate.errors?.[0] ?? null);
}

/** Schemas are compiled when they are first needed: all of them would take seconds. */
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
  // The document has words of OpenAPI that JSON Schema does not know.
  const made = new Ajv2020({ strict: false });
  formats.default(made);
  return made.addSchema({ $id: DOCUMENT, components });
}
