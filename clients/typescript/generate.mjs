// Writes src/generated from the service's OpenAPI document: `node generate.mjs [<directory>]`.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { format, resolveConfig } from 'prettier';

const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'openapi.json');
const GENERATED = join(import.meta.dirname, 'src', 'generated');
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** What answers with JSON to a key: not what browsers visit. */
function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]?.responses['200'] !== undefined).map((method) => {
      const { operationId } = item[method];
      return { id: operationId, type: typeNameOf(operationId), method, path };
    }),
  );
}

function typeNameOf(operationId) {
  return operationId[0].toUpperCase() + operationId.slice(1);
}

/** Errors are the same for all operations: types of each one's own would be most of the file. */
function leaveOutErrors({ paths }) {
  for (const item of Object.values(paths)) {
    for (const method of METHODS) {
      const responses = item[method]?.responses ?? {};
      for (const status of Object.keys(responses)) if (Number(status) >= 400) delete responses[status];
    }
  }
}

/** The service drops them: an application that gives them has made a mistake. */
function leaveOutReadOnlyFields({ components }) {
  for (const { properties = {} } of Object.values(components.schemas)) {
    for (const [name, { readOnly }] of Object.entries(properties)) if (readOnly) delete properties[name];
  }
}

function operationsModule(operations) {
  const names = operations.flatMap(({ type }) => [`${type}Data`, `${type}Response`]);
  const rows = operations.map(
    ({ id, method, path }) => `${id}: { method: '${method.toUpperCase()}', path: '${path}' },`,
  );
  const types = operations.map(({ id, type }) => `${id}: { data: ${type}Data; response: ${type}Response };`);
  return `// Generated from docs/openapi.json.
    import type { ${names.join(', ')} } from './types.gen.js';

    /** What each operation takes and answers. */
    export interface Operations { ${types.join('\n')} }

    /** How each operation is asked for. */
    export const OPERATIONS = { ${rows.join('\n')} } as const;`;
}

/** @param {string} directory where the files are written to */
async function generate(directory) {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  leaveOutErrors(document);
  leaveOutReadOnlyFields(document);
  await createClient({
    input: document,
    // What is left is written in one way: a type of its own for `password`, which is only written, would help nobody.
    parser: { transforms: { readWrite: { enabled: false } } },
    output: { path: directory, entryFile: false, header: ['// Generated from docs/openapi.json.'] },
    plugins: ['@hey-api/typescript'],
    logs: { level: 'error', file: false },
  });
  writeFileSync(join(directory, 'operations.gen.ts'), operationsModule(operationsOf(document)));
  for (const name of ['types.gen.ts', 'operations.gen.ts']) {
    const file = join(directory, name);
    const options = { ...(await resolveConfig(import.meta.filename)), parser: 'typescript' };
    writeFileSync(file, await format(readFileSync(file, 'utf8'), options));
  }
}

const [directory = GENERATED] = process.argv.slice(2);
rmSync(directory, { recursive: true, force: true });
await generate(directory);
