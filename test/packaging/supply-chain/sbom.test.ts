import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');

interface Component {
  name: string;
  version: string;
  purl: string;
  'bom-ref': string;
  hashes?: { alg: string; content: string }[];
}

let sbom: {
  bomFormat: string;
  specVersion: string;
  metadata: { component: { name: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

beforeAll(() => {
  execFileSync('node', [join(ROOT, 'test/packaging/supply-chain/sbom.mjs')], { cwd: ROOT });
  sbom = JSON.parse(readFileSync(join(ROOT, 'dist/sbom.cdx.json'), 'utf8'));
});

describe('N65 the bill of materials', () => {
  it('is one of CycloneDX, of this service', () => {
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'unified-calendar' } } });
    expect(sbom.specVersion).toMatch(/^1\.[5-9]$/);
  });

  it('has every production package of the lockfile, with its version and hash, and no other', () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    const locked = Object.entries<any>(packages)
      .filter(([path, { dev }]) => path !== '' && dev !== true)
      .map(([path, { name, version }]) => `${name ?? path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`);
    const listed = sbom.components.map(({ name, version }) => `${name}@${version}`);
    expect([...new Set(listed)].sort()).toEqual([...new Set(locked)].sort());
    for (const { name, version, purl, hashes } of sbom.components) {
      expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      expect(hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
    }
  });

  it('says what each of them depends on', () => {
    const known = new Set(sbom.components.map((component) => component['bom-ref']));
    const unknown = sbom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !known.has(ref));
    expect(unknown).toEqual([]);
    expect(sbom.dependencies.length).toBeGreaterThanOrEqual(known.size);
  });
});
