import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..', '..');
const LIST = 'test/docs/retired-words.txt';

/** Words that are no part of an identifier, a file name, a log message or a heading. docs/development/glossary.md has the new ones. */
const RETIRED_PARTS = new Set(
  `attended custody doubtful farewell feeder figures forger forgers herald house judge judged keeper lively lookout
   newborn oversee overseen oversight patiently pretended pump pushes sweep sweeps tells told untold upkeep`.split(
    /\s+/,
  ),
);

/** Kept words of standards and of text that others wrote. */
const OTHERS =
  /^(clients\/|CHANGELOG\.md|package-lock\.json|libs\/icalendar\/corpus\/)|\.(png|ics|svg)$|\.(gen|openapi)\./;

const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && file !== LIST && !OTHERS.test(file));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** `claimDueSyncs` → claim, due, syncs. */
const partsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((part) => part !== '');

interface Names {
  identifiers: Set<string>;
  logMessages: string[];
  /** Names of exported types and classes. */
  types: string[];
}

function namesIn(file: string, text: string): Names {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, kind);
  const names: Names = { identifiers: new Set(), logMessages: [], types: [] };
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) names.identifiers.add(node.text);
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && node.name.text === 'msg') {
      names.logMessages.push(node.initializer.getText(source));
    }
    if (
      (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node)) &&
      node.modifiers?.some(({ kind: modifier }) => modifier === ts.SyntaxKind.ExportKeyword) === true &&
      node.name !== undefined
    ) {
      names.types.push(node.name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

const sources = files
  .filter((file) => /\.(ts|tsx|mts|mjs)$/.test(file))
  .map((file) => ({ file, ...namesIn(file, read(file)) }));

/** @returns where a retired part occurs */
const withRetiredParts = (where: string, names: Iterable<string>): string[] =>
  [...names].flatMap((name) =>
    partsOf(name)
      .filter((part) => RETIRED_PARTS.has(part))
      .map((part) => `${where}: ${part} in ${name}`),
  );

describe('retired words', () => {
  it('are in no identifier', () => {
    expect(sources.flatMap(({ file, identifiers }) => withRetiredParts(file, identifiers))).toEqual([]);
  });

  it('are in no log message', () => {
    const messages = sources.flatMap(({ logMessages }) => logMessages);
    expect(messages.length).toBeGreaterThan(50);
    expect(sources.flatMap(({ file, logMessages }) => withRetiredParts(file, logMessages))).toEqual([]);
  });

  it('are in no file name', () => {
    expect(files.flatMap((file) => withRetiredParts(file, [file]))).toEqual([]);
  });

  it('are in no heading and no name of a metric', () => {
    const pages = files.filter((file) => file.endsWith('.md'));
    const headings = pages.flatMap((file) =>
      (read(file).match(/^#+ .*$/gm) ?? []).map((heading) => `${file} ${heading}`),
    );
    expect(headings.length).toBeGreaterThan(200);
    expect(withRetiredParts('heading', headings)).toEqual([]);
    const metrics = read('libs/platform/src/telemetry/catalogue.ts').match(/\bcalendar_\w+/g) ?? [];
    expect(metrics.length).toBeGreaterThan(10);
    expect(withRetiredParts('metric', metrics)).toEqual([]);
  });

  it('that were names of code are in no file', () => {
    const retired = new Set(read(LIST).split('\n').filter(Boolean));
    expect(retired.size).toBeGreaterThan(500);
    const found = files.flatMap((file) =>
      [...new Set(read(file).match(/[A-Za-z0-9_$]+(?:[-.][A-Za-z0-9_$]+)*/g))]
        .flatMap((word) => [word, ...word.split(/[-.]/)])
        .filter((word) => retired.has(word))
        .map((word) => `${file}: ${word}`),
    );
    expect(found).toEqual([]);
  });
});

describe('a type', () => {
  /** The providers of the sandbox and the dashboard never meet in one program, so they may use one name each. */
  const programOf = (file: string): string | null =>
    /^(libs|apps\/(?:api|worker|ops|stack))\//.test(file)
      ? 'service'
      : (/^apps\/(?:sandbox\/src\/[^/]+|dashboard)(?=\/)/.exec(file)?.[0] ?? null);

  it('is declared once under one name', () => {
    const declared = new Map<string, string[]>();
    for (const { file, types } of sources) {
      const program = programOf(file);
      if (program === null || /\.spec\.tsx?$|\/testing\//.test(file)) continue;
      for (const name of types) {
        const key = `${program} ${name}`;
        declared.set(key, [...(declared.get(key) ?? []), file]);
      }
    }
    expect(declared.size).toBeGreaterThan(300);
    expect([...declared].filter(([, places]) => places.length > 1)).toEqual([]);
  });
});
