import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

describe('npm version', () => {
  const copy = mkdtempSync(join(tmpdir(), 'unified-calendar-release-'));
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: copy, stdio: 'pipe' }).toString();
  const read = (file: string) => readFileSync(join(copy, file), 'utf8');
  const commit = (message: string) => run('git', 'commit', '--quiet', '--allow-empty', '-m', message);

  beforeAll(() => {
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT }).toString().trim();
    for (const file of files.split('\n').filter((name) => !/^(test|libs)\//.test(name))) {
      cpSync(join(ROOT, file), join(copy, file));
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    run('git', 'init', '--quiet');
    run('git', 'config', 'user.name', 'release');
    run('git', 'config', 'user.email', 'release@example.com');
    run('git', 'config', 'commit.gpgsign', 'false');
    run('git', 'add', '--all', '--', ':!node_modules');
    commit('feat: the first one');
    commit('feat(events): reminders of all providers');
    commit('fix(caldav): a redirect without end is refused');
    commit('test: nobody reads of this');
  });

  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it('writes one version everywhere, and the changes, in one tagged commit', () => {
    const { version: before } = JSON.parse(read('package.json')) as { version: string };
    run('npm', 'version', 'minor');
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(version).not.toBe(before);
    expect(run('git', 'tag').trim()).toBe(`v${version}`);
    expect(run('git', 'status', '--porcelain', '--untracked-files=no')).toBe('');

    expect(JSON.parse(read('clients/typescript/package.json'))).toMatchObject({ version });
    expect(read('helm/unified-calendar/Chart.yaml')).toMatch(
      new RegExp(`^version: ${version}\n[^]*^appVersion: '${version}'$`, 'm'),
    );
    expect(read('docker/Dockerfile')).toContain(`ARG VERSION=${version}\n`);
    for (const page of ['docs/guides/clients.md', 'docs/operations/kubernetes.md', 'docs/operations/quickstart.md']) {
      expect(read(page)).toContain(version);
      expect(read(page)).not.toContain(before);
    }

    const changes = read('CHANGELOG.md');
    expect(changes).toContain(`${version} (`);
    expect(changes).toMatch(/\*\*events:\*\* reminders of all providers/);
    expect(changes).toMatch(/\*\*caldav:\*\* a redirect without end is refused/);
    expect(changes).not.toContain('nobody reads of this');
  });

  it('adds only what came since the last version above it', () => {
    commit('feat(ics): feeds with a password');
    run('npm', 'version', 'patch');
    const [newest = '', ...older] = read('CHANGELOG.md')
      .split(/^## (?=\[?\d)/m)
      .slice(1);
    expect(newest).toContain('feeds with a password');
    expect(newest).not.toContain('reminders of all providers');
    expect(older.join('')).toContain('reminders of all providers');
    expect(read('CHANGELOG.md')).toMatch(/^# Changelog\n/);
  });
});
