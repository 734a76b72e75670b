import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** Copied here by the build (nest-cli.json, `assets`) from the devDependency @scalar/api-reference. */
const BUNDLE = new URL('./assets/node_modules/@scalar/api-reference/dist/browser/standalone.js', import.meta.url);

/** Scripts from here alone, none inline. Scalar writes style attributes and elements at run time. */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

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

/** Nothing is fetched from elsewhere: no fonts, no proxy, no telemetry. */
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

/** The 4 MB of the reference page, as they are and compressed once. (Browsers take brotli over TLS only.) */
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
