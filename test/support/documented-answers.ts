import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Answer } from './service.js';
import { ROOT } from './entry-points.js';

interface DocumentedResponse {
  $ref?: string;
  headers?: Record<string, unknown>;
  content?: { 'application/json': { schema: object } };
  'x-error-codes'?: string[];
}

interface Operation {
  /** File in docs. */
  document: string;
  name: string;
  path: RegExp;
  responses: Record<string, DocumentedResponse | undefined>;
}

/** A message to a receiver, as docs/openapi.json describes it. */
interface Message {
  parameters: { name: string; required: boolean }[];
  requestBody: { content: { 'application/json': { schema: object } } };
}

interface OpenApi {
  webhooks?: Record<string, { post: Message }>;
  paths: Record<string, Record<string, { responses: Operation['responses'] }>>;
  components: { responses: Record<string, DocumentedResponse> };
}

const DOCUMENTS = ['openapi.json', 'openapi-operator.json'];
/** Answers of each operation and status that one suite checks. Suites under load are hardly slowed. */
const CHECKED = 100;
const checked = new Map<string, number>();
const compiled = new Map<string, ValidateFunction>();
let documented: ReturnType<typeof read> | undefined;

/** Headers that a caller acts on. The two exceptions protect browsers, on every answer. */
const HEADERS =
  /^(x-(?!content-type-options$|frame-options$)|retry-after$|idempotency-|location$|deprecation$|sunset$|link$)/;
const SECONDS = /^[1-9]\d*$/;

/** @throws Error when docs/openapi*.json name no such answer of that operation */
export function assertDocumented(method: string, path: string, { status, body, headers }: Answer): void {
  documented ??= read();
  const { ajv, operations } = documented;
  const operation = operations.find((each) => each.name.startsWith(`${method} `) && each.path.test(path));
  if (operation === undefined) return;
  const name = `${operation.name} ${status}`;
  const count = (checked.get(name) ?? 0) + 1;
  checked.set(name, count);
  if (count > CHECKED) return;
  const problem = problemOf(operation, status, body, ajv) ?? problemOfHeaders(operation, status, headers);
  if (problem !== null)
    throw new Error(`Not in docs/${operation.document}: ${name}: ${problem}: ${JSON.stringify(body)}`);
}

/** Bodies of other types are those of tests alone. @throws Error when docs/openapi.json has no such message of its type */
export function assertDocumentedMessage(headers: Record<string, string>, body: Buffer): void {
  documented ??= read();
  const message = JSON.parse(body.toString('utf8')) as { eventType?: string };
  const described = documented.messages.get(message.eventType ?? '');
  if (described === undefined) return;
  const validate = compile(documented.ajv, described.requestBody.content['application/json'].schema, 'openapi.json');
  const known = new Set(described.parameters.map(({ name }) => name));
  const problems = [
    ...described.parameters
      .filter(({ name, required }) => required && !(name in headers))
      .map(({ name }) => `no ${name}`),
    ...Object.keys(headers).filter((name) => /^(x|webhook)-/.test(name) && !known.has(name)),
    ...errorsOf(validate, message),
  ];
  if (problems.length > 0)
    throw new Error(`Not in docs/openapi.json: ${problems.join(', ')}: ${body.toString('utf8')}`);
}

function problemOf({ document, responses }: Operation, status: number, body: any, ajv: Ajv2020): string | null {
  const response = responses[String(status)];
  if (response === undefined) return 'unknown status';
  if (response['x-error-codes']?.includes(body.code) === false) return 'unknown code';
  if (response.content === undefined) return null;
  const validate = compile(ajv, response.content['application/json'].schema, document);
  return errorsOf(validate, body).join(', ') || null;
}

function errorsOf(validate: ValidateFunction, value: unknown): string[] {
  return validate(value) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function problemOfHeaders({ responses }: Operation, status: number, headers: Headers): string | null {
  const known = new Set(Object.keys(responses[String(status)]?.headers ?? {}).map((name) => name.toLowerCase()));
  const present = [...headers.keys()].filter((name) => HEADERS.test(name));
  const unknown = present.find((name) => !known.has(name));
  if (unknown !== undefined) return `unknown header ${unknown}`;
  if (!present.includes('x-request-id')) return 'no x-request-id';
  const wait = headers.get('retry-after');
  if (wait === null) return status === 429 || status === 503 ? 'no Retry-After' : null;
  return SECONDS.test(wait) ? null : `Retry-After ${wait}`;
}

function compile(ajv: Ajv2020, schema: object, document: string): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/', `"${document}#/`);
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const validate = ajv.compile(JSON.parse(text) as object);
  compiled.set(text, validate);
  return validate;
}

function read() {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const messages = new Map<string, Message>();
  const operations = DOCUMENTS.flatMap((document) => {
    const openapi = JSON.parse(readFileSync(join(ROOT, 'docs', document), 'utf8'), withoutOtherFields) as OpenApi;
    ajv.addSchema(openapi, document);
    for (const [eventType, { post }] of Object.entries(openapi.webhooks ?? {})) messages.set(eventType, post);
    const resolved = (response: DocumentedResponse | undefined) =>
      response?.$ref === undefined ? response : openapi.components.responses[response.$ref.split('/').at(-1)!];
    return Object.entries(openapi.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]): Operation => ({
        document,
        name: `${method.toUpperCase()} ${path}`,
        path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
        responses: Object.fromEntries(Object.entries(responses).map(([status, each]) => [status, resolved(each)])),
      })),
    );
  });
  return { ajv, operations, messages };
}

/** A field that the document does not name is an error. */
function withoutOtherFields(_: string, value: unknown): unknown {
  const schema = value as { type?: unknown; properties?: unknown; additionalProperties?: unknown } | null;
  const isOpen =
    typeof schema?.properties === 'object' && schema.type === 'object' && schema.additionalProperties === undefined;
  return isOpen ? { ...schema, additionalProperties: false } : value;
}
