import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Answer } from './service.js';
import { ROOT } from './entry-points.js';

interface DocumentedResponse {
  $ref?: string;
  content?: { 'application/json': { schema: object } };
  'x-error-codes'?: string[];
}

interface Operation {
  name: string;
  path: RegExp;
  responses: Record<string, DocumentedResponse | undefined>;
}

interface Document {
  ajv: Ajv2020;
  operations: Operation[];
  /** By name. */
  responses: Record<string, DocumentedResponse>;
}

/** Answers of each operation and status that one suite checks. Suites under load are hardly slowed. */
const CHECKED = 100;
const checked = new Map<string, number>();
const compiled = new Map<string, ValidateFunction>();
let document: Document | undefined;

/** @throws Error when docs/openapi.json names no such answer of that operation */
export function assertDocumented(method: string, path: string, { status, body }: Answer): void {
  document ??= read();
  const operation = document.operations.find((each) => each.name.startsWith(`${method} `) && each.path.test(path));
  if (operation === undefined) return;
  const name = `${operation.name} ${status}`;
  const count = (checked.get(name) ?? 0) + 1;
  checked.set(name, count);
  if (count > CHECKED) return;
  const problem = problemOf(operation.responses[String(status)], body, document);
  if (problem !== null) throw new Error(`Not in docs/openapi.json: ${name}: ${problem}: ${JSON.stringify(body)}`);
}

function problemOf(stated: DocumentedResponse | undefined, body: any, { ajv, responses }: Document): string | null {
  const response = stated?.$ref === undefined ? stated : responses[stated.$ref.split('/').at(-1)!];
  if (response === undefined) return 'unknown status';
  if (response['x-error-codes']?.includes(body.code) === false) return 'unknown code';
  if (response.content === undefined) return null;
  const validate = compile(ajv, response.content['application/json'].schema);
  if (validate(body)) return null;
  return validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ');
}

function compile(ajv: Ajv2020, schema: object): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const validate = ajv.compile(JSON.parse(text.replaceAll('"#/', '"openapi#/')) as object);
  compiled.set(text, validate);
  return validate;
}

function read(): Document {
  // A field that the document does not name is an error.
  const openapi = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8'), (_, value: unknown) =>
    isOpenSchema(value) ? { ...value, additionalProperties: false } : value,
  ) as {
    paths: Record<string, Record<string, { responses: Operation['responses'] }>>;
    components: { responses: Record<string, DocumentedResponse> };
  };
  const ajv = new Ajv2020({ strict: false, allErrors: true, schemas: { openapi } });
  formats.default(ajv);
  const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      responses,
    })),
  );
  return { ajv, operations, responses: openapi.components.responses };
}

function isOpenSchema(value: unknown): value is { properties: object } {
  const schema = value as { type?: unknown; properties?: unknown; additionalProperties?: unknown } | null;
  return (
    typeof schema?.properties === 'object' && schema.type === 'object' && schema.additionalProperties === undefined
  );
}
