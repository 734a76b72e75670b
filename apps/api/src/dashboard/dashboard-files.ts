import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** Of what the build makes. Anything else is not served. */
const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** What the build names by its content; under such a name there is never anything else. */
const HASHED = 'assets/';

export interface DashboardFile {
  type: string;
  body: Buffer;
  /** As the build compressed it. */
  zipped: Buffer;
  isImmutable: boolean;
}

/** The dashboard, as it was built. */
export interface DashboardFiles {
  /** Text of the page; `__CSP_NONCE__` stands in it for the nonce of an answer. */
  page: string;
  /** By path below /dashboard, without a slash at its beginning. */
  files: ReadonlyMap<string, DashboardFile>;
}

/** Everything is kept in memory: it is less than a picture, and no path from outside ever names a file. */
export async function readDashboard(directory: string): Promise<DashboardFiles> {
  const entries = await readdir(directory, { recursive: true });
  const served = entries.filter((name) => extname(name) in TYPES);
  const files = await Promise.all(
    served.map(async (name): Promise<[string, DashboardFile]> => {
      const path = join(directory, name);
      const [body, zipped] = await Promise.all([readFile(path), readFile(`${path}.gz`)]);
      const address = relative(directory, path).split(sep).join('/');
      return [address, { type: TYPES[extname(name)]!, body, zipped, isImmutable: address.startsWith(HASHED) }];
    }),
  );
  return { page: await readFile(join(directory, 'index.html'), 'utf8'), files: new Map(files) };
}
