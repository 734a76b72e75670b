import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { defineConfig } from 'vite';

const root = import.meta.dirname;
const compress = promisify(gzip);

/** Compressed once here, rather than for every request. */
const zipped = {
  name: 'zipped',
  apply: 'build',
  async writeBundle({ dir }) {
    const names = (await readdir(dir, { recursive: true })).filter((name) => /\.(js|css|svg)$/.test(name));
    await Promise.all(
      names.map(async (name) => {
        const path = join(dir, name);
        await writeFile(`${path}.gz`, await compress(await readFile(path), { level: 9 }));
      }),
    );
  },
};

export default defineConfig({
  root,
  base: '/dashboard/',
  plugins: [zipped],
  // Where `npm start` serves the API: for working on the pages.
  server: { proxy: { '/api': 'http://127.0.0.1:3000' } },
  build: {
    outDir: join(root, '../../dist/apps/dashboard'),
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    // An asset inside of a page would need an exception in the content security policy.
    assetsInlineLimit: 0,
    // The first load is held to its budget by test/browser/dashboard.test.ts.
    chunkSizeWarningLimit: 1_000,
    reportCompressedSize: false,
    rolldownOptions: {
      onLog(level, log, report) {
        // "use client" is for servers that render pages; there is none.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
});
