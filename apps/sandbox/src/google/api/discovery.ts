import { PathTemplates, type Routed } from '../../http/path-templates.js';
import document from '../calendar-v3.discovery.json' with { type: 'json' };

/**
 * Parts of Google's API discovery document for request validation.
 * https://developers.google.com/discovery/v1/reference/apis
 */
export interface DiscoveryDocument {
  parameters: Record<string, ParameterSpec>;
  resources: Record<string, { methods: Record<string, MethodSpec> }>;
  schemas: Record<string, SchemaSpec>;
  auth: { oauth2: { scopes: Record<string, { description: string }> } };
}

export interface MethodSpec {
  id: string;
  httpMethod: string;
  /** Template below `/calendar/v3/`: `calendars/{calendarId}/events` */
  path: string;
  parameters?: Record<string, ParameterSpec>;
  request?: { $ref: string };
  response?: { $ref: string };
  scopes: string[];
}

export interface ParameterSpec {
  location: string;
  type: string;
  format?: string;
  required?: boolean;
  repeated?: boolean;
  enum?: string[];
  minimum?: string;
  maximum?: string;
}

export interface SchemaSpec {
  type?: string;
  format?: string;
  $ref?: string;
  properties?: Record<string, SchemaSpec>;
  additionalProperties?: SchemaSpec;
  items?: SchemaSpec;
  /** Ids of the methods that require it. */
  annotations?: { required?: string[] };
}

export const CALENDAR_V3: DiscoveryDocument = document;

/** Scopes of the Calendar API with their consent page texts. */
export const CALENDAR_SCOPES: ReadonlyMap<string, string> = new Map(
  Object.entries(CALENDAR_V3.auth.oauth2.scopes).map(([scope, { description }]) => [scope, description]),
);

const METHODS: ReadonlyMap<string, MethodSpec> = new Map(
  Object.values(CALENDAR_V3.resources)
    .flatMap(({ methods }) => Object.values(methods))
    .map((method) => [method.id, method]),
);

export function findMethod(methodId: string): MethodSpec | undefined {
  return METHODS.get(methodId);
}

export function allMethods(): IterableIterator<MethodSpec> {
  return METHODS.values();
}

const TEMPLATES = new PathTemplates(METHODS.values());

/** @param path below `/calendar/v3/`, percent-encoded */
export function findRoute(httpMethod: string, path: string): Routed<MethodSpec> {
  return TEMPLATES.find(httpMethod, path);
}

/** @throws Error for an unknown schema */
export function schemaNamed(name: string): SchemaSpec {
  const schema = CALENDAR_V3.schemas[name];
  if (schema === undefined) throw new Error(`the discovery document has no schema ${name}`);
  return schema;
}
