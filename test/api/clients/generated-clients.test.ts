// 50 s: clients are generated and compiled in other languages.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateClient, type GeneratedClient } from '../../support/generated-client.js';
import { startGoogleService, type GoogleService } from '../../support/google-service.js';
import { outputOf, temporaryDirectory } from '../../support/processes.js';
import { pythonPath } from '../../support/python-packages.js';
import { fencedBlocks } from '../../docs/page.js';

/** The first time, a virtual machine generates and a compiler compiles, while other suites have the machine. */

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/guides/clients.md'), 'utf8');

/** Of the page: the options of the command, the program in the language, and what it prints. */
function shown(heading: string, language: string): { options: string[]; program: string; output: string } {
  const section = PAGE.split(/^### /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const [command = ''] = fencedBlocks(section, 'sh');
  const [program = ''] = fencedBlocks(section, language);
  const [output = ''] = fencedBlocks(section, 'text');
  const words = command.replaceAll('\\\n', ' ').trim().split(/\s+/);
  return { options: words.slice(words.indexOf('-g')), program, output };
}

/** What the generator says of the document, but for what is true of any document that is OpenAPI 3.1. */
function complaints({ log }: GeneratedClient): string[] {
  return log
    .split('\n')
    .filter((line) => /WARN|ERROR|Exception/.test(line))
    .filter((line) => !/OpenAPI 3\.1 support is still in beta|Failed to get the schema name: null/.test(line));
}

let google: GoogleService;
let directory: { path: string; remove(): Promise<void> };
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  directory = await temporaryDirectory('generated-clients');
  google = await startGoogleService();
  const { accountId } = await google.connected('ada@example.com');
  env = { API_KEY: google.service.apiKey, ACCOUNT: accountId };
});
afterAll(async () => {
  await google?.stop();
  await directory?.remove();
});

/** As the page shows it, at the address where the service is here. */
function here(program: string): string {
  expect(program).toContain('http://localhost:3000');
  return program.replace('http://localhost:3000', google.service.baseUrl);
}

describe('a client that OpenAPI Generator makes', () => {
  it('for Python is made without complaints, and works as it is shown', async () => {
    const { options, program, output } = shown('Python', 'python');
    const client = await generateClient(options);
    expect(complaints(client)).toEqual([]);
    const PYTHONPATH = `${client.directory}:${pythonPath()}`;
    const modules = [
      'import pkgutil, importlib, unified_calendar as client',
      "names = [m.name for m in pkgutil.walk_packages(client.__path__, 'unified_calendar.')]",
      'print(len([importlib.import_module(name) for name in names]) > 50)',
    ].join('\n');
    expect(await outputOf('python3', ['-c', modules], client.directory, { PYTHONPATH })).toBe('True\n');
    const printed = await outputOf('python3', ['-c', here(program)], client.directory, { ...env, PYTHONPATH });
    expect(printed).toBe(output);
  });

  it('for Go is made without complaints but for a reserved word, compiles, and works as it is shown', async () => {
    const { options, program, output } = shown('Go', 'go');
    const client = await generateClient(options);
    expect(complaints(client).filter((line) => !line.includes('error (reserved word)'))).toEqual([]);
    const required = 'require example.com/calendar/client v0.0.0';
    const replaced = `replace example.com/calendar/client => ${client.directory}`;
    writeFileSync(join(directory.path, 'go.mod'), `module shown\ngo 1.18\n${required}\n${replaced}\n`);
    writeFileSync(join(directory.path, 'main.go'), here(program));
    const go = { ...env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };
    expect(await outputOf('go', ['run', '.'], directory.path, go)).toBe(output);
  });

  it('survives codes of a later service', async () => {
    const client = await generateClient(shown('Python', 'python').options);
    const PYTHONPATH = `${client.directory}:${pythonPath()}`;
    const program = [
      'import unified_calendar as client',
      "attendee = {'id': 'a', 'email': 'a@example.com', 'responseStatus': 'delegated'}",
      "event = {'id': 'e', 'isCancelled': False, 'visibility': 'secret', 'attendees': [attendee]}",
      "page = client.EventPage.from_dict({'data': [event]})",
      'print(page.data[0].visibility, page.data[0].attendees[0].response_status)',
      "print(client.Error.from_dict({'error': 'New', 'code': 'New', 'message': 'm', 'requestId': 'r'}).code)",
    ].join('\n');
    expect(await outputOf('python3', ['-c', program], client.directory, { PYTHONPATH })).toBe(
      'secret delegated\nNew\n',
    );
  });

  it('for TypeScript has one type of event', async () => {
    const client = await generateClient(['-g', 'typescript-fetch']);
    expect(complaints(client).filter((line) => !line.includes('Renamed to ModelError'))).toEqual([]);
    const program = `import { EventPageFromJSON, type Event } from './client/index';
      const later = { id: 'f', isCancelled: false, title: 'New', visibility: 'secret' };
      const events: Event[] = EventPageFromJSON({ data: [{ id: 'e', isCancelled: true }, later] }).data;
      for (const { isCancelled, title, visibility } of events) console.log(isCancelled, title, visibility);`;
    cpSync(client.directory, join(directory.path, 'client'), { recursive: true });
    writeFileSync(join(directory.path, 'program.ts'), program);
    writeFileSync(join(directory.path, 'package.json'), '{ "type": "commonjs" }');
    const tsc = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');
    const options = ['--strict', '--target', 'es2022', '--module', 'commonjs', '--moduleResolution', 'bundler'];
    const places = ['--lib', 'es2022,dom', '--rootDir', '.', '--outDir', 'out', 'program.ts'];
    await outputOf(process.execPath, [tsc, ...options, ...places], directory.path, {});
    expect(await outputOf(process.execPath, ['out/program.js'], directory.path, {})).toBe(
      'true undefined undefined\nfalse New secret\n',
    );
  });
});
