import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RESPONSE_STATUSES } from '#domain/events';
import { ERROR_CODES, OPERATOR_ERROR_CODES } from '#domain/system';
import { ERROR_STATUS } from '../../../apps/api/src/errors/error-status.js';
import { startHttpApp, type HttpApp } from '../../support/http-app.js';
import { docsPolicy } from '../../../apps/api/src/openapi/docs-page.js';

type Json = { [name: string]: Json } & Json[] & string;

/** Written by the build's own compiler: the test's compiler knows no docstrings. A check in CI keeps it up to date. */
const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8')) as Json;

let http: HttpApp;
beforeAll(async () => {
  http = await startHttpApp();
});
afterAll(() => http.close());

const METHODS = ['get', 'post', 'put', 'delete', 'patch'];

function operations(): [string, Json][] {
  return Object.entries(document['paths'] ?? {}).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]): [string, Json] => [`${method} ${path}`, operation]),
  );
}

function resolve(node: Json): Json {
  const reference = node['$ref'] as unknown as string | undefined;
  if (reference === undefined) return node;
  return reference
    .slice(2)
    .split('/')
    .reduce<Json>((at, name) => at[name] as Json, document);
}

/** What `pick` finds in `node` and whatever it refers to. */
function collected<T>(node: Json, pick: (schema: Json) => readonly T[], seen = new Set<string>()): T[] {
  if (typeof node !== 'object' || node === null) return [];
  const reference = node['$ref'] as unknown as string | undefined;
  if (reference !== undefined) {
    if (seen.has(reference)) return [];
    seen.add(reference);
    return collected(resolve(node), pick, seen);
  }
  return [...pick(node), ...Object.values<Json>(node).flatMap((part) => collected(part, pick, seen))];
}

/** Lists of codes that admit no other. */
const closedCodes = (node: Json): string[] =>
  collected(node, (schema) =>
    ((schema['enum'] ?? []) as unknown[]).filter((code): code is string => typeof code === 'string'),
  );

const BOUNDS = ['maxLength', 'minLength', 'pattern', 'maximum', 'minimum', 'maxItems', 'minItems'];
const bounds = (node: Json): string[] => collected(node, (schema) => BOUNDS.filter((bound) => bound in schema));

/** What users' browsers visit: no key, a redirect, and failures as pages for whoever wants HTML. */
function isForBrowsers(operation: Json): boolean {
  return (operation['operationId'] as unknown as string).endsWith('SignIn');
}

describe('docs/openapi.json', () => {
  it('is OpenAPI 3.1 with the operations of the interface', () => {
    expect(document['openapi']).toBe('3.1.0');
    const ids = operations().map(([, operation]) => operation['operationId'] as unknown as string);
    expect(ids.sort()).toEqual([
      'beginSignIn',
      'connectApple',
      'connectCalDav',
      'connectIcs',
      'createAuthorizationUrl',
      'createCalendar',
      'createCalendarSubscription',
      'createConnectLink',
      'createEvent',
      'createWebhookEndpoint',
      'deleteCalendar',
      'deleteCalendarSubscription',
      'deleteEndUserAccount',
      'deleteEvent',
      'deleteWebhookEndpoint',
      'enableWebhookEndpoint',
      'finishSignIn',
      'getCalendar',
      'getEndUserAccount',
      'getEndUserAccountCredentials',
      'getEvent',
      'getUsage',
      'getWebhookEndpoint',
      'listCalendarSubscriptions',
      'listCalendars',
      'listDeliveryAttempts',
      'listEndUserAccounts',
      'listEventOccurrences',
      'listEvents',
      'listWebhookEndpoints',
      'listWebhookMessages',
      'queryFreeBusy',
      'recoverMessages',
      'resendWebhookMessage',
      'rotateEndpointSecret',
      'rsvpEvent',
      'sendTestMessage',
      'updateCalendar',
      'updateEvent',
      'updateWebhookEndpoint',
      'upsertEndUserAccount',
    ]);
  });

  it.each(operations())('%s has a summary, described parameters, a described answer and its errors', (_, operation) => {
    expect(operation['summary']).toMatch(/^[A-Z].{8,}[^.]$/);
    for (const parameter of operation['parameters'] ?? []) {
      expect([parameter['name'], typeof parameter['description']]).toEqual([parameter['name'], 'string']);
    }
    const responses = operation['responses'] as Json;
    if (isForBrowsers(operation)) {
      expect(Object.keys(responses['302']?.['headers'] ?? {})).toEqual(
        expect.arrayContaining(['Location', 'Set-Cookie']),
      );
      expect(Object.keys(responses)).not.toEqual(expect.arrayContaining(['200', '401', '403']));
    } else {
      expect(resolve(responses['200'] as Json)['content']?.['application/json']?.['schema']).toBeDefined();
    }
    for (const status of [
      '400',
      ...(isForBrowsers(operation) ? ['404'] : ['401', '403']),
      '429',
      '431',
      '500',
      '503',
    ]) {
      const response = resolve(responses[status] as Json) as unknown as Record<string, Json>;
      const { description, content, headers, 'x-error-codes': codes } = response;
      expect(typeof description).toBe('string');
      expect(headers?.['x-request-id']).toBeDefined();
      expect(content?.['text/html'] !== undefined).toBe(isForBrowsers(operation));
      expect(content?.['application/json']?.['schema']).toEqual({ $ref: '#/components/schemas/Error' });
      expect(codes).not.toHaveLength(0);
      expect(ERROR_CODES).toEqual(expect.arrayContaining(codes as unknown as string[]));
    }
    expect(operation['security']).toEqual(isForBrowsers(operation) ? [] : [{ apiKey: [] }]);
  });

  it('describes every field of every schema', () => {
    const undescribed = Object.entries(document['components']?.['schemas'] ?? {}).flatMap(([name, schema]) =>
      Object.entries(schema['properties'] ?? {})
        .filter(([, property]) => resolve(property)['description'] === undefined)
        .map(([field]) => `${name}.${field}`),
    );
    expect(undescribed).toEqual([]);
  });

  it('has the messages to webhooks, which OpenAPI Generator must leave out', () => {
    const webhooks = Object.entries(document['webhooks'] ?? {});
    expect(webhooks.map(([name]) => name)).toContain('calendar.event.changed');
    for (const [, { post }] of webhooks) {
      const body = resolve(post!['requestBody']!['content']!['application/json']!['schema']!);
      expect([post!['x-internal'], body['type']]).toEqual([true, 'object']);
    }
  });

  it('closes what is in requests alone: a field that nobody knows is refused', () => {
    const schemas = document['components']?.['schemas'] as Json;
    for (const name of ['CreateEvent', 'UpdateCalendar', 'ConnectApple', 'UpdateWebhookEndpoint']) {
      expect(schemas[name]).toMatchObject({ additionalProperties: false });
    }
    for (const name of ['Event', 'EndUserAccount', 'Error', 'ConferenceData']) {
      expect(schemas[name]).not.toHaveProperty('additionalProperties', false);
    }
  });

  it('sets no bound to what is clamped or replaced', () => {
    const bounds = operations().flatMap(([id, { parameters }]) =>
      [...parameters!]
        .filter(({ name }) => ['pageSize', 'limit', 'x-request-id'].includes(name as unknown as string))
        .filter(({ schema }) => schema?.['maximum'] !== undefined || schema?.['maxLength'] !== undefined)
        .map(({ name }) => `${id} ${name}`),
    );
    expect(bounds).toEqual([]);
  });

  it('leaves open what a body has in fields that are dropped', () => {
    const properties = document['components']?.['schemas']?.['CreateEvent']?.['properties'] as Json;
    expect(properties['isCancelled']).toEqual({ readOnly: true, description: expect.any(String) });
  });

  it('promises of reminders in answers only what every provider keeps', () => {
    const schemas = document['components']?.['schemas'] as Json;
    const { reminders } = schemas['Event']?.['properties'] as unknown as Record<string, Json>;
    const answered = resolve((reminders as Json)['allOf']?.[0] ?? (reminders as Json));
    const reminder = resolve(answered['properties']?.['overrides']?.['items'] as Json);
    expect(answered['required']).toEqual(['useDefault']);
    expect(JSON.stringify([answered, reminder])).not.toMatch(/minimum|maximum|maxItems/);
  });

  it('asks of reminders in a body for no more than is needed', () => {
    const schemas = document['components']?.['schemas'] as Json;
    for (const name of ['CreateEvent', 'UpdateEvent']) {
      const { reminders } = schemas[name]?.['properties'] as unknown as Record<string, Json>;
      const input = resolve(
        (reminders as Json)['anyOf']?.[0] ?? (reminders as Json)['allOf']?.[0] ?? (reminders as Json),
      );
      const reminder = resolve(input['properties']?.['overrides']?.['items'] as Json);
      expect(input['required']).toBeUndefined();
      expect(reminder['properties']?.['minutes']).toMatchObject({ minimum: -40_320, maximum: 525_600 });
    }
  });

  it('describes occurrences without the expansion that they always have', () => {
    const [, operation] = operations().find(([, { operationId }]) => operationId === 'listEventOccurrences')!;
    const described = Object.fromEntries(
      [...operation['parameters']!].map(({ name, description }) => [name, description as string]),
    );
    expect(described).not.toHaveProperty('expandRecurrences');
    expect(described['startDateTime']).toMatch(/without a token/);
    expect(described['endDateTime']).toMatch(/without a token/);
  });

  it('has no dangling reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference);
    for (const reference of new Set(references)) {
      expect([reference, resolve({ $ref: reference } as unknown as Json)]).not.toContain(undefined);
    }
  });

  it('has one type of event, which always has an id and whether it is cancelled', () => {
    const schemas = document['components']?.['schemas'] as Json;
    expect(schemas['Event']?.['required']).toEqual(['id', 'isCancelled']);
    expect(schemas['EventPage']?.['properties']?.['data']).toMatchObject({
      items: { $ref: '#/components/schemas/Event' },
    });
    expect(schemas['Event']?.['description']).toMatch(/removed event.*has `id` and `isCancelled`/);
  });

  it('names the known codes of answers, and closes the lists of requests alone', () => {
    const schemas = document['components']?.['schemas'] as Json;
    expect(schemas['ErrorCode']).toMatchObject({ type: 'string', 'x-extensible-enum': [...ERROR_CODES] });
    expect(schemas['EventAttendee']?.['properties']?.['responseStatus']).toEqual({
      type: 'string',
      description:
        'Answer to the invitation. Known values: `needsAction`, `declined`, `tentative`, `accepted`. ' +
        'Later versions may add some.',
      example: 'accepted',
      'x-extensible-enum': [...RESPONSE_STATUSES],
    });
    expect(schemas['ResponseStatus']?.['enum']).toEqual([...RESPONSE_STATUSES]);
    expect(closedCodes(operations().map(([, { responses }]) => responses) as unknown as Json)).toEqual([]);
    expect(closedCodes(operations().map(([, { requestBody }]) => requestBody) as unknown as Json)).not.toEqual([]);
  });

  it('promises no bounds of answers, whose texts are those of providers', () => {
    const bodies = operations().flatMap(([, { responses }]) =>
      Object.values(responses ?? {}).map((one) => resolve(one)['content']),
    );
    expect(bounds(bodies as unknown as Json)).toEqual([]);
    expect(bounds(operations().map(([, { requestBody }]) => requestBody) as unknown as Json)).toContain('maxLength');
  });

  it('tells overload from a service that is away', () => {
    for (const [, operation] of operations()) {
      const { 'x-error-codes': codes, headers } = resolve(operation['responses']!['503'] as Json);
      expect(codes).toEqual(['Overloaded', 'ServiceUnavailable']);
      expect(headers?.['Retry-After']).toBeDefined();
    }
  });
});

describe.each([
  ['openapi.json', ERROR_CODES],
  ['openapi-operator.json', [...ERROR_CODES, ...OPERATOR_ERROR_CODES]],
])('docs/%s', (file, codes) => {
  const { components, paths } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../docs', file), 'utf8'),
  ) as Json;

  it('gives each operation an id of its own, which generators make a method of', () => {
    const ids = Object.values(paths as Json).flatMap((methods) =>
      Object.values(methods).map((one) => one['operationId']),
    );
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });
  const { description } = components?.['schemas']?.['ErrorCode'] as unknown as { description: string };
  const lines = description.split('\n').filter((line) => line.startsWith('- '));

  it('lists all codes of errors, each once, with its status', () => {
    expect(lines.map((line) => /^- `(\w+)` \((\d{3})\): /.exec(line)?.slice(1))).toEqual(
      codes.map((code) => [code, String(ERROR_STATUS[code])]),
    );
  });

  it.each(lines)('says of a code what happened and what to do: %s', (line) => {
    const [, meaning, action, ...more] = /^[^:]+: (.+\.) What to do: (.+\.)$/.exec(line) ?? [];
    expect([typeof meaning, typeof action, more]).toEqual(['string', 'string', []]);
    expect(action).toMatch(/^[A-Z][^.]{10,}\.$/);
  });
});

describe('documentation page', () => {
  it('is served without a key, with no script of its own inside and none from elsewhere', async () => {
    const response = await globalThis.fetch(`${http.base}/api/docs`);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/html');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe-eval|https:/);
    expect(html).not.toMatch(/<script(?![^>]*\bsrc="\/api\/docs\/)/);
    expect(html).not.toMatch(/https?:\/\//);
  });

  it('reaches the public API and nothing else of this origin, and opens no window', async () => {
    const { headers } = await globalThis.fetch(`${http.base}/api/docs`);
    const policy = new Map(
      (headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
        const [name = '', ...values] = directive.split(' ');
        return [name, values] as const;
      }),
    );
    const { host } = new URL(http.base);
    expect(policy.get('default-src')).toEqual(["'none'"]);
    expect(policy.get('connect-src')).toEqual(
      [host, 'localhost:3000'].flatMap((own) => [`${own}/api/v1/`, `${own}/api/openapi.json`]),
    );
    expect(policy.get('sandbox')).not.toEqual(expect.arrayContaining([expect.stringMatching(/popups|top-navigation/)]));
  });

  it('takes no part of a policy from a Host that is no host', () => {
    expect(docsPolicy(['x; script-src *', '[::1]:3000', undefined])).toMatch(/; connect-src 'none'$/);
  });

  it('is not there when it is switched off; the document is', async () => {
    const off = await startHttpApp({ apiDocs: 'off' });
    try {
      const statusOf = async (path: string) => (await globalThis.fetch(off.base + path)).status;
      for (const path of ['/api/docs', '/api/docs/start.js', '/api/docs/scalar.js']) {
        expect([path, await statusOf(path)]).toEqual([path, 404]);
      }
      expect(await statusOf('/api/openapi.json')).toBe(200);
    } finally {
      await off.close();
    }
  });

  it('starts from scripts and a document that are served without a key too', async () => {
    const start = await globalThis.fetch(`${http.base}/api/docs/start.js`);
    expect(start.headers.get('content-type')).toContain('text/javascript');
    const served = await globalThis.fetch(`${http.base}/api/openapi.json`);
    expect(served.headers.get('content-type')).toContain('application/json');
    expect(((await served.json()) as { openapi: string }).openapi).toBe('3.1.0');
  });
});
