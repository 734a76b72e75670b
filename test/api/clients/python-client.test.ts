// 40 s: the package is built, installed, checked and run against the service.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fencedBlocks, sectionOf } from '../../docs/page.js';
import { startGoogleService, type GoogleService } from '../../support/google-service.js';
import { outputOf } from '../../support/processes.js';
import { installPythonClient, type PythonClient } from '../../support/python-client.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

let google: GoogleService;
let client: PythonClient;

beforeAll(async () => {
  google = await startGoogleService();
  client = await installPythonClient();
});
afterAll(async () => {
  await google?.stop();
  await client?.remove();
});

async function newcomer(email: string): Promise<NodeJS.ProcessEnv> {
  const { accountId } = await google.connected(email);
  return { BASE_URL: google.service.baseUrl, API_KEY: google.service.apiKey, ACCOUNT: accountId };
}

describe('the Python client', () => {
  it('is what follows from the document (else: python3 clients/python/generate.py)', async () => {
    expect(await outputOf('python3', ['generate.py', '--check'], join(ROOT, 'clients/python'))).toBe('');
  });

  it('has types that mypy takes, in the package and where it is used', async () => {
    expect(await client.run(['-m', 'mypy', '--strict', 'src/unified_calendar', 'generate.py', 'tests'])).toMatch(
      /^Success: no issues found in \d+ source files\n$/,
    );
  });

  it('does what it says, alone and at the running service', async () => {
    const tests = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests'];
    const output = await client.run(tests, await newcomer('python@example.com'));
    expect(output).toMatch(/\n\d{2,} passed(, \d+ warnings?)? in /);
    expect(output).not.toMatch(/skipped|failed|xfailed/);
  });

  it('works as docs/guides/clients.md shows it', async () => {
    const section = sectionOf('docs/guides/clients.md', 'Python');
    const program = fencedBlocks(section, 'python').join('\n');
    expect(program).toContain('http://localhost:3000');
    writeFileSync(join(client.directory, 'guide.py'), program.replace('http://localhost:3000', google.service.baseUrl));
    const output = await client.run(['guide.py'], await newcomer('guide@example.com'));
    expect(output).toBe(fencedBlocks(section, 'text').join(''));
  });

  it('has the version that its project file says, and no file of its tests', async () => {
    const version = /^version = "(.*)"$/m.exec(readFileSync(join(client.directory, 'pyproject.toml'), 'utf8'))?.[1];
    const program = `from importlib.metadata import files, version
name = 'unified-calendar-client'
print(version(name), *(str(each) for each in files(name)), sep='\\n')`;
    const listed = await client.run(['-c', program]);
    expect(listed.split('\n')[0]).toBe(version);
    expect(listed).toContain('unified_calendar/py.typed');
    expect(listed).not.toMatch(/tests|generate/);
  });
});
