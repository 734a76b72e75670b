// Writes what follows from openapi.json and README.md: a Postman collection, and llms.txt for tools that read documentation.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const read = (name) => readFileSync(join(import.meta.dirname, name), 'utf8');

/** @returns {Record<string, string>} contents by file name below docs/ */
export function derivedFiles() {
  const document = JSON.parse(read('openapi.json'));
  return {
    'postman-collection.json': `${JSON.stringify(collectionOf(document), null, 2)}\n`,
    'llms.txt': textOf(document, read('README.md')),
  };
}

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
}

/** Collection format 2.1. Variables: `baseUrl`, `apiKey`, and the ids of paths. */
function collectionOf(document) {
  const operations = operationsOf(document).filter((operation) => operation['x-codeSamples'] !== undefined);
  const tags = [...new Set(operations.flatMap(({ tags }) => tags))];
  const ids = [...new Set(operations.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)))];
  return {
    info: {
      name: document.info.title,
      description: document.info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'x-api-key', type: 'string' },
        { key: 'value', value: '{{apiKey}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    variable: [
      { key: 'baseUrl', value: 'http://localhost:3000' },
      { key: 'apiKey', value: '' },
      ...ids.map((key) => ({ key, value: key === 'calendarId' ? 'primary' : '' })),
    ],
    item: tags.map((name) => ({
      name,
      item: operations.filter(({ tags: [tag] }) => tag === name).map(requestOf),
    })),
  };
}

function requestOf({ operationId, summary, description, method, path, parameters = [], requestBody }) {
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, '{{$1}}');
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, description: meaning, schema, example }) => ({
      ...{ key: name, value: String(example ?? schema?.example ?? ''), description: meaning ?? '', disabled: true },
    }));
  const example = requestBody?.content['application/json']?.example;
  return {
    name: summary ?? operationId,
    request: {
      method,
      description: description ?? '',
      header: example === undefined ? [] : [{ key: 'content-type', value: 'application/json' }],
      url: { raw: `{{baseUrl}}/${segments}`, host: ['{{baseUrl}}'], path: segments.split('/'), query },
      ...(example !== undefined && { body: { mode: 'raw', raw: JSON.stringify(example, null, 2) } }),
    },
  };
}

/** The form of llmstxt.org: a title, a summary, lists of links. */
function textOf(document, index) {
  const sections = [...index.matchAll(/^## (.+)\n\n((?:- .+\n)+)/gm)].map(
    ([, title, list]) => `## ${title}\n\n${list}`,
  );
  const operations = operationsOf(document).map(
    ({ method, path, summary, operationId }) => `- \`${method} ${path}\`: ${summary ?? operationId}`,
  );
  return (
    [
      '# Unified Calendar',
      '> A self-hosted service through which an application connects the Google, Microsoft, Apple and CalDAV calendars of its ' +
        'users, and works with all of them through one REST API: accounts, calendars, events, recurrence, replies to ' +
        'invitations, free/busy, incremental sync, signed webhooks.',
      'Requests carry the key of the application in the header `x-api-key`. Errors have one shape with a `code` ' +
        '([all codes](guides/errors.md)). The complete description is [openapi.json](openapi.json), with code samples of each ' +
        'operation; [postman-collection.json](postman-collection.json) has the same requests.',
      ...sections.map((section) => section.trimEnd()),
      `## Operations\n\n${operations.join('\n')}`,
      '',
    ]
      .join('\n\n')
      .trimEnd() + '\n'
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [name, content] of Object.entries(derivedFiles())) {
    writeFileSync(join(import.meta.dirname, name), content);
  }
}
