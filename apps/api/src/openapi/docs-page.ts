import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** The build copies it from the devDependency @scalar/api-reference (nest-cli.json, `assets`). */
const BUNDLE = new URL('./assets/node_modules/@scalar/api-reference/dist/browser/standalone.js', import.meta.url);

/** Paths that the page may call. The operator API has the same origin and must stay unreachable. */
const REACHABLE = ['/api/v1/', '/api/openapi.json'];
/** Host and port as a policy may contain them (CSP 3 §2.3.1 has no IPv6 addresses). */
const HOST = /^[a-z0-9.-]{1,253}(:\d{1,5})?$/i;

/**
 * Scalar writes inline styles at run time. Its scripts may only call the public API and open no window, because an
 * operator may be signed in on this origin.
 * @param hosts of the request and of `PUBLIC_URL`: `'self'` cannot be narrowed by a path
 */
export function docsPolicy(hosts: readonly (string | undefined)[]): string {
  const known = [...new Set(hosts)].filter((host) => host !== undefined && HOST.test(host));
  const reachable = known.flatMap((host) => REACHABLE.map((path) => `${host}${path}`));
  return [...POLICY, `connect-src ${reachable.length > 0 ? reachable.join(' ') : "'none'"}`].join('; ');
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  'sandbox allow-scripts allow-same-origin allow-downloads',
];

export const DOCS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
    <title>Unified Calendar API</title>
  </head>
  <body>
    <div id="reference"></div>
    <script src="/api/docs/scalar.js"></script>
    <script src="/api/docs/start.js"></script>
  </body>
</html>
`;

export const DOCS_START = `Scalar.createApiReference('#reference', {
  url: '/api/openapi.json',
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  metaData: { title: 'Unified Calendar API' },
});
`;

const compress = promisify(gzip);

let bundle: Promise<{ source: Buffer; zipped: Buffer }> | undefined;

/** The 4 MB page bundle, compressed once with gzip: browsers accept brotli over TLS only. */
export async function docsBundle(): Promise<{ source: Buffer; zipped: Buffer }> {
  bundle ??= load();
  try {
    return await bundle;
  } catch (error) {
    bundle = undefined;
    throw error;
  }
}

async function load(): Promise<{ source: Buffer; zipped: Buffer }> {
  const source = await readFile(BUNDLE);
  return { source, zipped: await compress(source) };
}
