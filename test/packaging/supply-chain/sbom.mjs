// npm run sbom: writes what production consists of, by the lockfile, to dist/sbom.cdx.json (CycloneDX).
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** All packages: npm's own `--omit=dev` leaves out what production and development share. */
function everything() {
  const run = spawnSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout);
}

/** `name@version` of each package that an installation without development has. */
function production() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return new Set(
    Object.entries(packages)
      .filter(([path, { dev }]) => path !== '' && dev !== true)
      .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`),
  );
}

const sbom = everything();
const used = production();
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const own = sbom.metadata.component;
const ownRef = own['bom-ref'];
const components = sbom.components.filter((component) => used.has(`${component.name}@${component.version}`));
const refs = new Set([ownRef, ...components.map((component) => component['bom-ref'])]);
const written = {
  ...sbom,
  metadata: { ...sbom.metadata, component: { ...own, name, version, purl: `pkg:npm/${name}@${version}` } },
  components,
  dependencies: sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((needed) => refs.has(needed)) })),
};
mkdirSync(join(root, 'dist'), { recursive: true });
writeFileSync(join(root, 'dist', 'sbom.cdx.json'), `${JSON.stringify(written, null, 2)}\n`);
console.log(`dist/sbom.cdx.json: ${components.length} packages`);
