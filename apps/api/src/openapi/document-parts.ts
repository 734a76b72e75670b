import type { OpenAPIObject } from '@nestjs/swagger';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
export type Parameter = Extract<NonNullable<Operation['parameters']>[number], { name: string }>;
export type Response = Extract<Operation['responses'][string], { description: string }>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type ErrorResponses = NonNullable<NonNullable<OpenAPIObject['components']>['responses']>;

export interface DescribedOperation {
  path: string;
  method: (typeof METHODS)[number];
  operation: Operation;
}

export function operationsOf({ paths }: OpenAPIObject): DescribedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, method, operation }];
    }),
  );
}

/** Removes an extension that is for the code alone. @returns its value */
export function takeExtension(operation: Operation, name: string): unknown {
  const extensions = operation as unknown as Record<string, unknown>;
  const value = extensions[name];
  delete extensions[name];
  return value;
}

export function splitSummary(operation: Operation): void {
  const [summary = '', ...rest] = (operation.summary ?? '').split(/(?<=\.)\s+/);
  operation.summary = summary.replace(/\.$/, '');
  if (rest.length > 0) operation.description = rest.join(' ');
}

export function withoutDtoSuffix(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas ?? {};
  const renamed = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name.replace(/Dto$/, ''), schema]),
  );
  const text = JSON.stringify({ ...document, components: { ...document.components, schemas: renamed } });
  return JSON.parse(text.replace(/"(#\/components\/schemas\/\w+?)Dto"/g, '"$1"')) as OpenAPIObject;
}

/** Removes the type `object`, which Swagger derives from `unknown`: read-only fields accept any value. */
export function untypeReadOnlyFields(document: OpenAPIObject): void {
  for (const schema of Object.values(document.components?.schemas ?? {})) {
    for (const property of 'properties' in schema ? Object.values(schema.properties ?? {}) : []) {
      if ('readOnly' in property && property.readOnly && property.type === 'object') delete property.type;
    }
  }
}

/**
 * Turns closed lists of codes in answers into strings that name their known values, so that clients generated from this
 * document survive a code of a later version. Requests keep their lists: the service accepts no other code.
 */
export function openCodesOfAnswers(document: OpenAPIObject): void {
  const schemas = document.components?.schemas ?? {};
  const asked = askedSchemas(document);
  const closed = { ...schemas };
  for (const [name, schema] of Object.entries(closed))
    if (!asked.has(name)) schemas[name] = opened(schema, closed, asked);
}

function opened<T>(schema: T, schemas: Record<string, unknown>, asked: Set<string>): T {
  if (Array.isArray(schema)) return schema.map((part: unknown) => opened(part, schemas, asked)) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const { enum: values, ...rest } = { ...codesOf(schema, schemas, asked), ...schema } as CodeSchema;
  if (values === undefined || !values.some((value) => typeof value === 'string')) {
    return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, opened(part, schemas, asked)])) as T;
  }
  const known = values.filter((value) => value !== null);
  const description = withKnownValues(rest.description ?? '', known);
  delete rest.allOf;
  delete rest.$ref;
  return { ...rest, type: rest.type ?? 'string', 'x-extensible-enum': known, description } as T;
}

function withKnownValues(description: string, values: unknown[]): string {
  const named = values.map((value) => `\`${String(value)}\``);
  const sentences = named.every((name) => description.includes(name)) ? [] : [`Known values: ${named.join(', ')}.`];
  const separator = description.includes('\n') ? '\n\n' : ' ';
  return [description, ...sentences, 'Later versions may add some.'].filter((text) => text !== '').join(separator);
}

interface CodeSchema {
  $ref?: string;
  allOf?: { $ref?: string }[];
  type?: unknown;
  enum?: (string | boolean | null)[];
  description?: string;
}

/** Returns the list of codes that a schema refers to, when requests refer to it as well. */
function codesOf({ $ref, allOf }: CodeSchema, schemas: Record<string, unknown>, asked: Set<string>): CodeSchema {
  const name = ($ref ?? (allOf?.length === 1 ? allOf[0]?.$ref : undefined))?.split('/').at(-1) ?? '';
  const { type, enum: values, description } = (asked.has(name) ? schemas[name] : {}) as CodeSchema;
  return values === undefined ? {} : { type, enum: values, ...(description !== undefined && { description }) };
}

/** Names of the schemas that requests refer to. */
function askedSchemas(document: OpenAPIObject): Set<string> {
  const operations = operationsOf(document).map(({ operation }) => operation);
  return referredTo(
    operations.map(({ parameters, requestBody }) => [parameters, requestBody]),
    document.components?.schemas ?? {},
  );
}

/** Forbids unknown fields in schemas that occur in requests only. */
export function closeRequestSchemas(document: OpenAPIObject): void {
  const schemas = document.components?.schemas ?? {};
  const operations = operationsOf(document).map(({ operation }) => operation);
  const answered = referredTo(
    operations.map(({ responses }) => responses),
    schemas,
  );
  for (const name of askedSchemas(document)) {
    const schema = schemas[name];
    if (schema === undefined || '$ref' in schema || schema.type !== 'object' || answered.has(name)) continue;
    schema.additionalProperties ??= false;
  }
}

function referredTo(from: unknown, schemas: Record<string, unknown>, names = new Set<string>()): Set<string> {
  for (const [, name = ''] of (JSON.stringify(from) ?? '').matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (names.has(name)) continue;
    names.add(name);
    referredTo(schemas[name], schemas, names);
  }
  return names;
}
