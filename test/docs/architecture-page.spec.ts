import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = 'docs/adr/0001-architecture.md';
/** Imported by nearly everything, and therefore no targets in the picture. */
const EVERYWHERE = ['libs/domain', 'libs/platform'];

const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'apps', 'libs'], { cwd: ROOT })
  .toString()
  .split('\n')
  .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !/\.spec\.|\/testing\//.test(file));

/** Folder of the picture that a file is in: an app, a lib, one provider, or the files beside the providers. */
function folderOf(file: string): string {
  const parts = file.split('/');
  return parts.slice(0, parts[1] === 'providers' && parts.length > 3 ? 3 : 2).join('/');
}

/** Folder that an import names; null for packages and Node's modules. */
function targetOf(file: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return folderOf(posix.join(posix.dirname(file), specifier));
  if (!specifier.startsWith('#')) return null;
  const [lib = '', part] = specifier.slice(1).split('/');
  return lib === 'providers' && part !== undefined ? `libs/providers/${part}` : `libs/${lib}`;
}

function importsOfCode(): [from: string, to: string][] {
  return sources.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)/g)].flatMap((match) => {
      const to = targetOf(file, match[1] ?? match[2] ?? '');
      return to === null ? [] : [[folderOf(file), to] as [string, string]];
    }),
  );
}

describe('the picture of ADR 1', () => {
  const picture = /```mermaid\n([^]*?)```/.exec(readFileSync(join(ROOT, PAGE), 'utf8'))?.[1] ?? '';
  const nodes = new Map(
    [...picture.matchAll(/^ {2}(\w+)\[((?:apps|libs)\/[^\]]+)\]$/gm)].flatMap(([, id = '', label = '']) =>
      label.split(', ').map((folder) => [folder, id] as const),
    ),
  );
  const drawn = [...picture.matchAll(/^ {2}(\w+) --> (\w+)$/gm)].map(([, from = '', to = '']) => `${from} --> ${to}`);

  it('has every app and every lib', () => {
    const folders = [...new Set(sources.map(folderOf))].filter((folder) => !EVERYWHERE.includes(folder));
    expect([...nodes.keys()].sort()).toEqual(folders.sort());
  });

  it('has the arrows of the imports, each once', () => {
    const imported = importsOfCode()
      .filter(([from, to]) => !EVERYWHERE.includes(from) && !EVERYWHERE.includes(to))
      .map(([from, to]) => [nodes.get(from) ?? from, nodes.get(to) ?? to])
      .filter(([from, to]) => from !== to)
      .map(([from, to]) => `${from} --> ${to}`);
    expect(drawn.sort()).toEqual([...new Set(imported)].sort());
  });
});
