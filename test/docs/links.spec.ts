import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const ROOT_PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md'];
const PAGES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...ROOT_PAGES, 'docs'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path.endsWith('.md') && existsSync(join(ROOT, path)));

const text = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
/** Without blocks of code, whose lines may look like headings and links. */
const prose = (page: string): string => text(page).replace(/^ *```[^]*?^ *```$/gm, '');

/** As GitHub makes them of headings. */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose(page).matchAll(/^#{1,6} +(.+)$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    anchors.add(before === 0 ? slug : `${slug}-${before}`);
  }
  return anchors;
}

interface Link {
  page: string;
  target: string;
  /** From the root of the repository. */
  path: string;
  anchor: string | null;
}

function linksOf(page: string): Link[] {
  const targets = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor] = target.split('#');
      return { page, target, path: file === '' ? page : normalize(join(dirname(page), file)), anchor: anchor ?? null };
    });
}

function isThere({ path, anchor }: Link): boolean {
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === null || (path.endsWith('.md') && anchorsOf(path).has(anchor));
}

/** Files and folders that a page names in its text: `libs/egress`, `test/support/sandbox.ts`. */
function pathsNamedIn(page: string): string[] {
  const named = [...prose(page).matchAll(/`((?:apps|libs|test|docs|helm|docker|clients)\/[\w./-]+)`/g)];
  return [...new Set(named.map(([, path = '']) => path))];
}

describe('anchorsOf', () => {
  it('makes them as GitHub does', () => {
    expect([...anchorsOf('docs/operations/README.md')]).toContain('failure-impact');
    expect([...anchorsOf('docs/guides/tour.md')]).toContain('apple-and-caldav-accounts');
  });
});

describe('the documentation', () => {
  it('is found from the README: every page', () => {
    const reached = new Set<string>();
    const follow = (page: string): void => {
      if (reached.has(page) || !PAGES.includes(page)) return;
      reached.add(page);
      for (const { path } of linksOf(page)) follow(path);
    };
    follow('README.md');
    expect(PAGES.filter((page) => !reached.has(page))).toEqual([]);
  });

  it.each(PAGES)('%s leads to what there is', (page) => {
    expect(linksOf(page).filter((link) => !isThere(link))).toEqual([]);
    expect(pathsNamedIn(page).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
