import document from '../msgraph-calendar.openapi.json' with { type: 'json' };
import { PathTemplates, type Routed } from '../../http/path-templates.js';

export interface Schema {
  $ref?: string;
  enum?: string[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  items?: Schema;
}

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  schema: Schema & { type: 'string' | 'integer' | 'boolean' | 'array' };
}

type Content = Record<string, { schema: Schema }>;

interface OperationObject {
  operationId: string;
  parameters?: { $ref: string }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
  security: { delegated: string[] }[];
}

/** Parts of the OpenAPI document for request validation. */
interface OpenApiDocument {
  paths: Record<string, Record<string, OperationObject>>;
  components: { parameters: Record<string, Parameter>; schemas: Record<string, unknown> };
}

export interface GraphOperation {
  operationId: string;
  httpMethod: string;
  /** Template below `/v1.0/`: `me/calendars/{calendar-id}` */
  path: string;
  pathParameters: readonly string[];
  /** Query parameters by name. */
  query: ReadonlyMap<string, Parameter>;
  /** null for an operation without body. */
  body: { schema: Schema; isRequired: boolean } | null;
  /** Schemas of JSON responses by status. */
  answers: ReadonlyMap<string, Schema>;
  /** Each of these scopes suffices. */
  scopes: readonly string[];
}

export const { components, paths } = document as unknown as OpenApiDocument;

const HTTP_METHODS = ['get', 'post', 'patch', 'delete'] as const;

const OPERATIONS: ReadonlyMap<string, GraphOperation> = new Map(
  Object.entries(paths)
    .flatMap(([path, item]) =>
      HTTP_METHODS.flatMap((method) => (item[method] === undefined ? [] : [operationOf(path, method, item[method])])),
    )
    .map((operation) => [operation.operationId, operation]),
);
const TEMPLATES = new PathTemplates(OPERATIONS.values());

export function findOperation(operationId: string): GraphOperation | undefined {
  return OPERATIONS.get(operationId);
}

export function operations(): IterableIterator<GraphOperation> {
  return OPERATIONS.values();
}

/** @param path below `/v1.0/`, percent-encoded */
export function routeOf(httpMethod: string, path: string): Routed<GraphOperation> {
  return TEMPLATES.find(httpMethod, path);
}

function operationOf(path: string, method: string, operation: OperationObject): GraphOperation {
  const { operationId, requestBody, responses, security, parameters = [] } = operation;
  const query = parameters.map(({ $ref }) => named($ref)).filter((parameter) => parameter.in === 'query');
  const bodySchema = requestBody?.content['application/json']?.schema;
  return {
    operationId,
    httpMethod: method.toUpperCase(),
    path: path.slice(1),
    pathParameters: [...path.matchAll(/\{([\w-]+)\}/g)].map(([, name = '']) => name),
    query: new Map(query.map((parameter) => [parameter.name, parameter])),
    body: bodySchema === undefined ? null : { schema: bodySchema, isRequired: requestBody?.required === true },
    answers: new Map(
      Object.entries(responses).flatMap(([status, { content }]) => {
        const schema = content?.['application/json']?.schema;
        return schema === undefined ? [] : [[status, schema] as const];
      }),
    ),
    scopes: security.flatMap(({ delegated }) => delegated),
  };
}

function named($ref: string): Parameter {
  const parameter = components.parameters[$ref.slice($ref.lastIndexOf('/') + 1)];
  if (parameter === undefined) throw new Error(`the document has no parameter ${$ref}`);
  return parameter;
}
