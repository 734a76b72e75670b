// 20 s: programs of guides run as they stand, against a service of their own.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandLine } from '../support/command-line.js';
import { startGoogleService, type GoogleService } from '../support/google-service.js';
import { outputOf, temporaryDirectory } from '../support/processes.js';
import { pythonPath } from '../support/python-packages.js';
import { fencedBlocks, sectionOf, shownOutput } from './page.js';

const ROOT = join(import.meta.dirname, '..', '..');
const NODE = join(ROOT, 'node_modules/node/bin/node');
const MAX_LINES = 60;

let google: GoogleService;
let directory: { path: string; remove(): Promise<void> };

beforeAll(async () => {
  google = await startGoogleService({});
  directory = await temporaryDirectory('guides');
  const installed = join(directory.path, 'node_modules/@unified-calendar/client');
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, 'package.json'), readFileSync(join(ROOT, 'clients/typescript/package.json'), 'utf8'));
  await outputOf(process.execPath, ['build.mjs', join(installed, 'dist')], join(ROOT, 'clients/typescript'));
});

afterAll(async () => {
  await google?.stop();
  await directory?.remove();
});

/** Settings that the pages name, for an account that nobody has used. */
async function newcomer(email = 'ada@example.com'): Promise<NodeJS.ProcessEnv> {
  const { accountId } = await google.connected(email);
  return { BASE_URL: google.service.baseUrl, API_KEY: google.service.apiKey, ACCOUNT: accountId };
}

describe('docs/guides/quickstart.md', () => {
  const page = (section: string) => sectionOf('docs/guides/quickstart.md', section);
  const [expected = ''] = fencedBlocks(page('Node'), 'text');

  it.each([
    ['Node', 'js', 'quickstart.mjs', NODE],
    ['Python', 'python', 'quickstart.py', 'python3'],
    ['curl', 'bash', 'quickstart.sh', 'bash'],
  ])('%s: the program works, is short, and prints what the page shows', async (section, language, file, command) => {
    const [program = ''] = fencedBlocks(page(section), language);
    expect(program.trimEnd().split('\n').length).toBeLessThan(MAX_LINES);
    writeFileSync(join(directory.path, file), program);
    const env = { ...(await newcomer()), ...(language === 'python' && { PYTHONPATH: pythonPath() }) };
    const output = await outputOf(command, [file], directory.path, env);
    expect(output).toBe(expected);
  });
});

describe.each(['events.md', 'sandbox.md'])('docs/guides/%s', (name) => {
  const page = readFileSync(join(ROOT, 'docs/guides', name), 'utf8');

  it('has a program that works and prints what the page shows', async () => {
    const file = name.replace('.md', '.mjs');
    writeFileSync(join(directory.path, file), fencedBlocks(page, 'js').join('\n'));
    const env = { ...(await newcomer(`${name}@example.com`)), SANDBOX: google.sandbox.controlUrl };
    const output = await outputOf(NODE, [file], directory.path, env);
    expect(output.replace(/\s+/g, '')).toMatch(shownOutput(fencedBlocks(page, 'text').join('')));
  });
});

describe('docs/operations/gitops.md', () => {
  const page = readFileSync(join(ROOT, 'docs/operations/gitops.md'), 'utf8');

  it('has a program that applies what it says once, with a token of the command that the page shows', async () => {
    const { env, baseUrl } = google.service;
    const [command = ''] = fencedBlocks(page, 'sh');
    const args = command.trim().replace('npm run -s ops -- ', '').split(' ');
    const { stdout } = await CommandLine.start().run({ ...env, PUBLIC_URL: baseUrl }, ...args);
    writeFileSync(join(directory.path, 'gitops.mjs'), fencedBlocks(page, 'js').join('\n'));
    const settings = { OPERATOR_URL: baseUrl, OPERATOR_TOKEN: stdout.split('\n')[0] };
    const apply = () => outputOf(NODE, ['gitops.mjs'], directory.path, settings);
    const [shown = ''] = fencedBlocks(page, 'text');
    expect(await apply()).toBe(shown);
    expect(await apply()).toBe(shown.replaceAll('created', 'unchanged'));
  });
});
