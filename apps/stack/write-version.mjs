// Runs in `npm version`: writes the new version into every file that names it, and the changes since the last tag into
// CHANGELOG.md. npm commits and tags what is staged here.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const { npm_old_version: before, npm_new_version: version } = process.env;
const FILES = [
  'clients/python/pyproject.toml',
  'clients/typescript/package.json',
  'docker/Dockerfile',
  'docs/guides/clients.md',
  'docs/operations/quickstart.md',
  'docs/operations/kubernetes.md',
  'helm/unified-calendar/Chart.yaml',
];

for (const file of FILES) {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(before)) throw new Error(`${file} does not name version ${before}.`);
  writeFileSync(file, text.replaceAll(before, version));
}
const changes = execFileSync('conventional-changelog', ['--preset', 'conventionalcommits', '--stdout'], {
  encoding: 'utf8',
});
const log = readFileSync('CHANGELOG.md', 'utf8');
const newest = log.search(/^## /m);
const at = newest === -1 ? log.length : newest;
writeFileSync(
  'CHANGELOG.md',
  `${log.slice(0, at).trimEnd()}\n\n${changes.trim()}\n\n${log.slice(at)}`.trimEnd() + '\n',
);
execFileSync('git', ['add', 'CHANGELOG.md', ...FILES], { stdio: 'inherit' });
