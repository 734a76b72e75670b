// 30 s: the client is packed and installed as an application does it.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGoogleService, type GoogleService } from '../../support/google-service.js';
import { outputOf, temporaryDirectory } from '../../support/processes.js';
import { blocksOf, fencedBlocks, shownOutput } from '../../docs/page.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const CLIENT = join(ROOT, 'clients/typescript');
const MODULES = join(ROOT, 'node_modules');
const NODE = join(MODULES, 'node/bin/node');
const PAGE = readFileSync(join(ROOT, 'docs/guides/clients.md'), 'utf8');
const TYPESCRIPT = PAGE.slice(PAGE.indexOf('## TypeScript'), PAGE.indexOf('## Python'));

let directory: { path: string; remove(): Promise<void> };
/** Of the package. */
let packed: string[];

beforeAll(async () => {
  directory = await temporaryDirectory('client');
  const options = ['--json', '--silent', '--offline', '--pack-destination', directory.path];
  const listed = await outputOf('npm', ['pack', ...options], CLIENT);
  const [{ filename, files }] = JSON.parse(listed.slice(listed.indexOf('[\n'))) as [
    { filename: string; files: { path: string }[] },
  ];
  packed = files.map(({ path }) => path).sort();
  const project = { name: 'application', type: 'module', private: true };
  writeFileSync(join(directory.path, 'package.json'), JSON.stringify(project));
  const quietly = ['--offline', '--no-audit', '--no-fund', '--silent'];
  await outputOf('npm', ['install', join(directory.path, filename), ...quietly], directory.path);
  mkdirSync(join(directory.path, 'node_modules/@types'));
  symlinkSync(join(MODULES, '@types/node'), join(directory.path, 'node_modules/@types/node'));
  symlinkSync(join(MODULES, 'undici-types'), join(directory.path, 'node_modules/undici-types'));
});
afterAll(() => directory?.remove());

/** Compiles strictly, declarations of the package too. @throws Error with what the compiler says */
async function compile(name: string, source: string, settings: object = {}): Promise<void> {
  writeFileSync(join(directory.path, `${name}.ts`), source);
  const config = {
    compilerOptions: {
      ...{ target: 'ES2022', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true },
      ...{ rootDir: '.', types: [], lib: ['ES2022', 'DOM'], skipLibCheck: false, ...settings },
    },
    files: [`${name}.ts`],
  };
  writeFileSync(join(directory.path, `${name}.json`), JSON.stringify(config));
  await outputOf(NODE, [join(MODULES, 'typescript/bin/tsc'), '-p', `${name}.json`], directory.path);
}

describe('the package', () => {
  it('has what was compiled, its page and its licence, and depends on nothing', () => {
    const others = packed.filter((path) => !/^dist\/[\w./-]+\.(js|d\.ts)$/.test(path));
    expect(others).toEqual(['LICENSE', 'README.md', 'dist/cjs/package.json', 'package.json']);
    expect(packed.filter((path) => path.includes('.spec.'))).toEqual([]);
    const { dependencies, exports } = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8')) as {
      dependencies?: object;
      exports: Record<string, Record<'import' | 'require', { types: string; default: string }>>;
    };
    expect(dependencies).toBeUndefined();
    const entries = Object.values(exports['.']!).flatMap((entry) => Object.values(entry));
    expect(packed).toEqual(expect.arrayContaining(entries.map((path) => path.slice(2))));
  });

  it('is what the document makes', async () => {
    const generated = join(directory.path, 'generated');
    await outputOf(NODE, [join(CLIENT, 'generate.mjs'), generated], ROOT);
    const read = (from: string) => readdirSync(from).map((name) => [name, readFileSync(join(from, name), 'utf8')]);
    expect(read(generated)).toEqual(read(join(CLIENT, 'src/generated')));
  });

  it.each(['README.md', 'clients/typescript/README.md'])('compiles in the example of %s', async (page) => {
    const [example = ''] = fencedBlocks(readFileSync(join(ROOT, page), 'utf8'), 'ts');
    expect(example).toContain("from '@unified-calendar/client'");
    await compile('example', example, { noEmit: true });
  });

  it('is imported by plain Node', async () => {
    const names = "console.log(Object.keys(await import('@unified-calendar/client')).join());";
    expect(await outputOf(NODE, ['--input-type=module', '-e', names], directory.path)).toBe(
      'AccountExpiredError,AuthenticationError,ConflictError,NotFoundError,ProviderError,RateLimitedError,SyncTokenExpired,' +
        'UnifiedCalendarError,UnifiedCalendarNetworkError,ValidationError,WebhookVerificationError,createClient,' +
        'isRemoved,signInUrl,verifyWebhook\n',
    );
  });

  it('is required by CommonJS, with types of its own', async () => {
    const source = `
      import client = require('@unified-calendar/client');
      const made: client.UnifiedCalendarClient = client.createClient({ baseUrl: 'https://a.example', apiKey: 'uck_1' });
      console.log(typeof made.events.list, client.NotFoundError.name);
    `;
    writeFileSync(join(directory.path, 'commonjs.cts'), source);
    const compilerOptions = { target: 'ES2022', module: 'node16', strict: true, rootDir: '.', types: ['node'] };
    const config = { compilerOptions: { ...compilerOptions, lib: ['ES2022', 'DOM'] }, files: ['commonjs.cts'] };
    writeFileSync(join(directory.path, 'commonjs.json'), JSON.stringify(config));
    await outputOf(NODE, [join(MODULES, 'typescript/bin/tsc'), '-p', 'commonjs.json'], directory.path);
    expect(await outputOf(NODE, ['commonjs.cjs'], directory.path)).toBe('function NotFoundError\n');
  });

  it('has types that refuse what the service refuses, without those of Node', async () => {
    await compile(
      'types',
      `
      import { createClient, isRemoved, UnifiedCalendarError, type CalendarEvent } from '@unified-calendar/client';
      const client = createClient({ baseUrl: 'https://calendar.example.com', apiKey: 'uck_1' });
      const at = { endUserAccountId: 'a', calendarId: 'c' };
      const start = { dateTime: '2033-03-01T09:00:00Z' };
      // @ts-expect-error a key is needed
      createClient({ baseUrl: 'https://calendar.example.com' });
      // @ts-expect-error a calendar is needed
      await client.events.list({ endUserAccountId: 'a' });
      // @ts-expect-error there is no such parameter
      await client.events.list({ ...at, colour: 'red' });
      // @ts-expect-error a title is needed
      await client.events.create(at, { start });
      // @ts-expect-error the service sets it
      await client.events.create(at, { title: 'x', start, id: 'mine' });
      // @ts-expect-error not one of the answers to an invitation
      await client.events.rsvp({ ...at, eventId: 'e' }, { responseStatus: 'maybe' });
      // @ts-expect-error a read has no idempotency key
      await client.events.get({ ...at, eventId: 'e' }, { idempotencyKey: 'k' });
      // @ts-expect-error a calendar has no version
      await client.calendars.update(at, { name: 'x' }, { ifMatch: '"1"' });
      // @ts-expect-error pages are followed by the client
      client.events.listAll({ ...at, pageToken: 'p' });
      // @ts-expect-error the subscription has to be named
      await client.calendarSubscriptions.delete({ endUserAccountId: 'a' });
      await client.events.update({ ...at, eventId: 'e' }, { title: 'x', location: null }, { ifMatch: '"1"' });
      for await (const change of client.events.sync(at)) {
        // @ts-expect-error of what was removed the title is not known
        change.title;
        const title: string = isRemoved(change) ? change.id : change.title;
      }
      const created: CalendarEvent = await client.events.create(at, { title: 'x', start });
      const page = await client.events.list(at);
      const code: string | undefined = page.data.map((event) => (isRemoved(event) ? event.iCalUid : event.visibility))[0];
      for await (const event of client.events.listAll(at)) { const known: CalendarEvent = event; }
      const error = new Error() as UnifiedCalendarError;
      const seconds: number | null = error.retryAfterSeconds;
      const known: boolean = error.code === 'NotFound' || error.code === 'a code of a newer service';
      `,
      { noEmit: true },
    );
  });
});

describe('the page about clients', () => {
  let google: GoogleService;
  beforeAll(async () => {
    google = await startGoogleService();
  });
  afterAll(() => google?.stop());

  it('shows a program that works, and what it prints', async () => {
    const { accountId } = await google.connected('ada@example.com');
    const blocks = blocksOf(TYPESCRIPT);
    const written = (wanted: string) =>
      blocks.flatMap(({ language, content }) => (language === wanted ? [content] : [])).join('');
    const program = written('ts').replace('http://localhost:3000', google.service.baseUrl);
    await compile('tour', program, { types: ['node'] });
    const output = await outputOf(NODE, ['tour.js'], directory.path, {
      ...{ API_KEY: google.service.apiKey, ACCOUNT: accountId, SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    });
    expect(output.replace(/\s+/g, '')).toMatch(shownOutput(written('text')));
  });
});
