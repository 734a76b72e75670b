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

/** Forbids unknown fields in schemas that occur in requests only. */
export function closeRequestSchemas(document: OpenAPIObject): void {
  const schemas = document.components?.schemas ?? {};
  const operations = operationsOf(document).map(({ operation }) => operation);
  const answered = referredTo(
    operations.map(({ responses }) => responses),
    schemas,
  );
  for (const name of referredTo(
    operations.map(({ requestBody }) => requestBody),
    schemas,
  )) {
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
