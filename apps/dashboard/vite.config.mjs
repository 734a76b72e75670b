import { join } from 'node:path';
import { defineConfig } from 'vite';

const root = import.meta.dirname;

export default defineConfig({
  root,
  base: '/dashboard/',
  // Where `npm start` serves the API: for working on the pages.
  server: { proxy: { '/api': 'http://127.0.0.1:3000' } },
  build: {
    outDir: join(root, '../../dist/apps/dashboard'),
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    // An asset inside of a page would need an exception in the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      onLog(level, log, report) {
        // "use client" is for servers that render pages; there is none.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
});
