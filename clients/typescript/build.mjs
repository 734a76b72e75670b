// Builds dist, or the directory that is named: ES modules, and CommonJS in its folder cjs. TypeScript takes the kind of module
// from the nearest package.json.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const HERE = import.meta.dirname;
const DIST = resolve(process.argv[2] ?? join(HERE, 'dist'));
const COMMONJS = join(DIST, 'cjs');
const SOURCES = join(DIST, 'sources');
const TSC = createRequire(import.meta.url).resolve('typescript/bin/tsc');

const compile = (...options) => execFileSync(process.execPath, [TSC, ...options], { cwd: HERE, stdio: 'inherit' });

rmSync(DIST, { recursive: true, force: true });
compile('-p', 'tsconfig.build.json', '--outDir', DIST);

const commonJs = JSON.stringify({ type: 'commonjs' });
cpSync(join(HERE, 'src'), join(SOURCES, 'src'), { recursive: true });
cpSync(join(HERE, 'tsconfig.build.json'), join(SOURCES, 'tsconfig.json'));
writeFileSync(join(SOURCES, 'package.json'), commonJs);
compile('-p', join(SOURCES, 'tsconfig.json'), '--outDir', COMMONJS);
rmSync(SOURCES, { recursive: true });
mkdirSync(COMMONJS, { recursive: true });
writeFileSync(join(COMMONJS, 'package.json'), commonJs);
