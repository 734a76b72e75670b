import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Logger } from '@nestjs/common';
import express from 'express';
import { ApiContext, attachContext } from '../../../apps/api/src/http/api-context.js';
import { serveDashboard } from '../../../apps/api/src/dashboard/serve-dashboard.js';

const PAGE = '<!doctype html><meta property="csp-nonce" nonce="__CSP_NONCE__" />';
const SCRIPT = 'console.log("as it was built");';

let directory: string;
let server: Server;
let origin: string;

beforeAll(async () => {
  Logger.overrideLogger(false);
  directory = await mkdtemp(join(tmpdir(), 'dashboard-'));
  await mkdir(join(directory, 'built', 'assets'), { recursive: true });
  await writeFile(join(directory, 'built', 'index.html'), PAGE);
  await writeFile(join(directory, 'built', 'manifest.json'), '{}');
  for (const name of ['assets/index-1a2b.js', 'color-scheme.js']) {
    await writeFile(join(directory, 'built', name), SCRIPT);
    await writeFile(join(directory, 'built', `${name}.gz`), gzipSync(SCRIPT));
  }
  await writeFile(join(directory, 'secret.js'), 'not for anybody');
  const app = express();
  app.use((request, _, next) => {
    attachContext(request, new ApiContext('req_1'));
    next();
  });
  app.use('/dashboard', serveDashboard(join(directory, 'built')));
  app.use('/unbuilt', serveDashboard(join(directory, 'nowhere')));
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

describe('the dashboard', () => {
  it.each(['/dashboard', '/dashboard/', '/dashboard/accounts/7f3a?tab=a.b', '/dashboard/assets/'])(
    'is its page at %s, kept by nobody',
    async (path) => {
      const response = await fetch(origin + path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.text()).toContain('csp-nonce');
    },
  );

  it('N63 lets no script run that is not a file of it, nobody frame it, and styles through by a nonce of this answer', async () => {
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const response = await fetch(`${origin}/dashboard`);
        const nonce = /nonce="([\w-]+)"/.exec(await response.text())?.[1] ?? '';
        expect(response.headers.get('content-security-policy')).toBe(
          `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
            `font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'`,
        );
        return nonce;
      }),
    );
    expect(Buffer.from(nonces[0] ?? '', 'base64url')).toHaveLength(16);
    expect(nonces[1]).not.toBe(nonces[0]);
  });

  it.each([
    ['/dashboard/assets/index-1a2b.js', 'public, max-age=31536000, immutable'],
    ['/dashboard/color-scheme.js', 'no-cache'],
  ])('has the file %s', async (path, caching) => {
    for (const encoding of ['gzip', 'identity']) {
      const response = await fetch(origin + path, { headers: { 'accept-encoding': encoding } });
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe(caching);
      expect(response.headers.get('vary')).toBe('accept-encoding');
      expect(response.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null);
      expect(await response.text()).toBe(SCRIPT);
    }
  });

  it.each([
    '/dashboard/assets/index-gone.js',
    '/dashboard/manifest.json',
    '/dashboard/index.html',
    '/dashboard/assets/index-1a2b.js.gz',
    '/dashboard/..%2fsecret.js',
    '/dashboard/%2e%2e/secret.js',
    '/dashboard/constructor.js',
  ])('has nothing at %s', async (path) => {
    const response = await fetch(origin + path);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('not for anybody');
  });

  it('takes nothing', async () => {
    const response = await fetch(`${origin}/dashboard`, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await response.json()).toMatchObject({ code: 'MethodNotAllowed' });
  });

  it('says that it failed, and no more, where it was not built', async () => {
    const response = await fetch(`${origin}/unbuilt`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain(directory);
  });
});

describe('what the build made', () => {
  const built = join(import.meta.dirname, '../../../dist/apps/dashboard');
  type Chunk = { file: string; isEntry?: boolean; isDynamicEntry?: boolean; imports?: string[] };
  const chunks = JSON.parse(readFileSync(join(built, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;

  function filesOf(name: string, files = new Set<string>()): Set<string> {
    const { file, imports = [] } = chunks[name]!;
    if (files.has(file)) return files;
    files.add(file);
    for (const imported of imports) filesOf(imported, files);
    return files;
  }

  it('loads at most 300 kB of compressed script for the first page, whichever it is', () => {
    const named = (kind: 'isEntry' | 'isDynamicEntry') => Object.keys(chunks).filter((name) => chunks[name]?.[kind]);
    const [entry = ''] = named('isEntry');
    const pages = named('isDynamicEntry').filter((name) => name.startsWith('src/pages/'));
    expect(pages.length).toBeGreaterThan(10);
    const sizes = pages.map((page): [string, number] => {
      const scripts = [...filesOf(page, filesOf(entry))].filter((file) => file.endsWith('.js'));
      return [page, scripts.reduce((sum, file) => sum + statSync(join(built, `${file}.gz`)).size, 0)];
    });
    expect(sizes.filter(([, bytes]) => bytes > 300_000)).toEqual([]);
    expect(sizes.every(([, bytes]) => bytes > 50_000)).toBe(true);
  });
});
