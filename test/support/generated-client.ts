import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from './processes.js';
import { pythonPath } from './python-packages.js';

const ROOT = join(import.meta.dirname, '..', '..');
const DOCUMENT = join(ROOT, 'docs/openapi.json');
const CACHE = join(ROOT, 'node_modules/.cache/unified-calendar');

/** What OpenAPI Generator made. */
export interface GeneratedClient {
  directory: string;
  /** What it said about the document. */
  log: string;
}

/**
 * Generates a client from docs/openapi.json, or takes the one that was made of the very same before.
 * @param options as for `openapi-generator-cli generate`
 */
export async function generateClient(options: string[]): Promise<GeneratedClient> {
  const packages = pythonPath();
  const jar = join(packages, 'openapi_generator_cli/openapi-generator.jar');
  const hash = createHash('sha256')
    .update(readFileSync(DOCUMENT))
    .update([packages, ...options].join('\0'));
  const made = join(CACHE, `client-${hash.digest('hex').slice(0, 16)}`);
  if (!existsSync(made)) {
    const unfinished = `${made}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    const log = await outputOf('java', ['-jar', jar, 'generate', '-i', DOCUMENT, '-o', unfinished, ...options], ROOT);
    writeFileSync(join(unfinished, 'generator.log'), log);
    if (!existsSync(made)) renameSync(unfinished, made);
    rmSync(unfinished, { recursive: true, force: true });
  }
  return { directory: made, log: readFileSync(join(made, 'generator.log'), 'utf8') };
}
