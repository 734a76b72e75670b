import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonPath } from '../../support/python-packages.js';
// For the packages that build the wheel.
import '../../support/python-client.js';

const ROOT = join(import.meta.dirname, '../../..');

describe('npm version', () => {
  const copy = mkdtempSync(join(tmpdir(), 'unified-calendar-release-'));
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: copy, stdio: 'pipe' }).toString();
  const read = (file: string) => readFileSync(join(copy, file), 'utf8');
  const commit = (message: string) => run('git', 'commit', '--quiet', '--allow-empty', '-m', message);

  beforeAll(() => {
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT }).toString().trim();
    for (const file of files
      .split('\n')
      .filter((name) => !/^(test|libs)\//.test(name) || name.startsWith('test/packaging/supply-chain/'))) {
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
    expect(read('clients/python/pyproject.toml')).toContain(`\nversion = "${version}"\n`);
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

  describe('.ci/release', () => {
    /** Stands in for what needs a registry, and writes down how it was called. */
    const STUB = `#!/bin/sh
      printf '%s ' "$(basename "$0")" "$@" >> "$CALLS"; echo >> "$CALLS"
      case "$(basename "$0") $1 $2" in
        'docker buildx build')
          while [ $# -gt 0 ]; do [ "$1" = --metadata-file ] && echo '{"containerimage.digest":"sha256:image"}' > "$2"; shift; done ;;
        'helm push '*) echo 'Digest: sha256:chart' >&2 ;;
      esac`;
    /** npm itself, but for what asks the registry. */
    const NPM = `#!/bin/sh
      case "$*" in
        publish*|*audit) printf 'npm %s\\n' "$*" >> "$CALLS" ;;
        *) PATH="\${PATH#*:}" exec npm "$@" ;;
      esac`;
    const bin = join(copy, 'bin');
    const calls = join(copy, 'calls');
    const release = (env: NodeJS.ProcessEnv = {}) =>
      execFileSync('.ci/release', {
        cwd: copy,
        stdio: 'pipe',
        env: { ...process.env, PYTHONPATH: pythonPath(), PATH: `${bin}:${process.env['PATH']}`, CALLS: calls, ...env },
      }).toString();
    let version: string;

    beforeAll(() => {
      ({ version } = JSON.parse(read('package.json')) as { version: string });
      mkdirSync(bin);
      for (const name of ['docker', 'helm', 'cosign']) writeFileSync(join(bin, name), STUB);
      writeFileSync(join(bin, 'npm'), NPM);
      for (const name of readdirSync(bin)) chmodSync(join(bin, name), 0o755);
    });

    it('builds what needs no registry, with the notes of the version, and publishes nothing without one', () => {
      expect(release({ RELEASE_TAG: `v${version}` })).toContain('nothing is published');
      expect(readdirSync(join(copy, 'dist/release')).sort()).toEqual([
        'notes.md',
        'sbom.cdx.json',
        `unified-calendar-client-${version}.tgz`,
        `unified_calendar_client-${version}-py3-none-any.whl`,
      ]);
      const notes = read('dist/release/notes.md');
      expect(notes).toContain('feeds with a password');
      expect(notes).not.toContain('reminders of all providers');
      expect(() => read('calls')).toThrow();
    });

    it('builds, describes and signs each image of the Dockerfile and the chart, once the audit has passed', () => {
      release({ REGISTRY: 'registry.test/calendar' });
      const lines = read('calls').trim().split('\n');
      expect(lines[0]).toContain('audit');
      const targets = [...read('docker/Dockerfile').matchAll(/^FROM \S+ AS (api|worker|ops)$/gm)].map(
        ([, name]) => name,
      );
      expect(targets.sort()).toEqual(['api', 'ops', 'worker']);
      for (const target of targets) {
        const image = `registry.test/calendar/unified-calendar-${target}`;
        const built = lines.findIndex((line) => line.includes(`-t ${image}:${version} --push`));
        expect(lines[built]).toMatch(/^docker buildx build .*--sbom=true --provenance=mode=max/);
        expect(lines[built]).toContain(`--target ${target} --platform linux/amd64,linux/arm64`);
        expect(lines[built + 1]?.trim()).toBe(`cosign sign --yes ${image}@sha256:image`);
      }
      expect(lines.map((line) => line.trim()).slice(-4)).toEqual([
        'helm package helm/unified-calendar -d dist/release',
        `helm push dist/release/unified-calendar-${version}.tgz oci://registry.test/calendar/charts`,
        'cosign sign --yes registry.test/calendar/charts/unified-calendar@sha256:chart',
        'npm publish --provenance --access public',
      ]);
    });

    it('refuses a tag of another version, and one that no notes are of', () => {
      expect(() => release({ RELEASE_TAG: 'v9.9.9' })).toThrow(/The tag v9.9.9 is not that of version/);
      writeFileSync(join(copy, 'CHANGELOG.md'), '# Changelog\n');
      expect(() => release()).toThrow(/CHANGELOG.md has no section of/);
    });
  });
});
