import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Names in this directory contain a hash of the content. */
const HASHED = 'assets/';

export interface DashboardFile {
  type: string;
  body: Buffer;
  zipped: Buffer;
  isImmutable: boolean;
}

export interface DashboardFiles {
  /** HTML with the placeholder `__CSP_NONCE__`. */
  page: string;
  /** Keys are paths below /dashboard, without a leading slash. */
  files: ReadonlyMap<string, DashboardFile>;
}

/** Reads the whole build into memory: it is small, and no request path ever names a file. */
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
