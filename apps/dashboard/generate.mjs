// Writes src/api/operator-api.gen.ts from the OpenAPI document of the operator API: `node generate.mjs [<file>]`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { format, resolveConfig } from 'prettier';

const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'openapi-operator.json');
const GENERATED = join(import.meta.dirname, 'src', 'api', 'operator-api.gen.ts');
const HEADER = '// Generated from docs/openapi-operator.json.';
/** Every list takes them, and one hook gives them. */
const PAGING = ['limit', 'pageToken'];

/** Bodies and responses have schemas. Of the operations only the filters of lists are left, which have none. */
function leaveOutAllButFilters({ paths }) {
  for (const [path, { get }] of Object.entries(paths)) {
    const filters = get?.parameters.filter((each) => each.in === 'query' && !PAGING.includes(each.name)) ?? [];
    if (filters.length === 0 || get.responses['200'] === undefined) delete paths[path];
    else paths[path] = { get: { ...get, parameters: filters, responses: {} } };
  }
}

/** Pages have the providers from `GET /providers`: one more changes none of them. */
function leaveOutProviders({ components }) {
  for (const name of ['ProviderType', 'OAuthProvider']) delete components.schemas[name].enum;
}

/** @param {string} file where the types are written to */
async function generate(file) {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  leaveOutAllButFilters(document);
  leaveOutProviders(document);
  const directory = mkdtempSync(join(tmpdir(), 'operator-api-'));
  try {
    await createClient({
      input: document,
      output: { path: directory, entryFile: false, header: [HEADER] },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'error', file: false },
    });
    const options = { ...(await resolveConfig(import.meta.filename)), parser: 'typescript' };
    writeFileSync(file, await format(readFileSync(join(directory, 'types.gen.ts'), 'utf8'), options));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const [file = GENERATED] = process.argv.slice(2);
await generate(file);
