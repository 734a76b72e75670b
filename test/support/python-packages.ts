import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

const { installPythonPackages, pythonPackages } = (await import(
  new URL('../runner/programs.mjs', import.meta.url).href
)) as {
  installPythonPackages(root: string): void;
  pythonPackages(root: string): string;
};

/** The packages of PyPI that suites need, for PYTHONPATH. */
export function pythonPath(): string {
  installPythonPackages(ROOT);
  return pythonPackages(ROOT);
}
