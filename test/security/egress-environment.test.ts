import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { selfSigned } from '../support/certificate.js';
import { compileLibs, type CompiledLibs } from '../support/compiled-libs.js';
import { FaultServer } from '../support/fault-server.js';
import { answer } from '../support/faults.js';

const run = promisify(execFile);

/** Asks for its argument and prints the status or the failure. Names lead to loopback. */
const CHILD = `
  import { GuardedEgress } from '#egress';
  const [url, allow] = process.argv.slice(2);
  const egress = new GuardedEgress({ allow, resolver: { lookup: async () => ['127.0.0.1'] } });
  const print = (value) => console.log(String(value));
  await egress.request({ method: 'GET', url, timeoutMs: 3000, maxBytes: 1000 }).then((a) => print(a.status), (e) => print(e.failure));
  await egress.close();
`;

/** What Node itself reads from the environment is read at its start: each case is a process of its own. */
describe('outbound requests under a hostile environment', () => {
  const tls = selfSigned(['dav.example.com']);
  let libs: CompiledLibs;
  let server: FaultServer;

  beforeAll(async () => {
    libs = await compileLibs(['egress']);
    await writeFile(join(libs.directory, 'child.js'), CHILD);
    await writeFile(join(libs.directory, 'ca.pem'), tls.cert);
  });

  afterAll(() => libs?.remove());

  async function start(options: Parameters<typeof FaultServer.start>[0]): Promise<void> {
    server = await FaultServer.start(options);
    server.route('/', answer(200, 'ok'));
  }

  afterEach(() => server.close());

  /** Status or failure of a GET in a process with `environment`. */
  async function get(
    url: string,
    environment: Record<string, string>,
    allow = `127.0.0.1:${server.port}`,
  ): Promise<string> {
    const env = { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1', ...environment };
    const { stdout } = await run(process.execPath, [join(libs.directory, 'child.js'), url, allow], {
      env,
      timeout: 20_000,
    });
    return stdout.trim();
  }

  it('trusts an authority that NODE_EXTRA_CA_CERTS names, and no other', async () => {
    await start({ tls });
    const url = `https://dav.example.com:${server.port}/`;
    expect(await get(url, {})).toBe('tls');
    expect(await get(url, { NODE_EXTRA_CA_CERTS: join(libs.directory, 'ca.pem') })).toBe('200');
    expect(await get(url.replace('dav.', 'other.'), { NODE_EXTRA_CA_CERTS: join(libs.directory, 'ca.pem') })).toBe(
      'tls',
    );
  });

  it('verifies certificates under NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    await start({ tls });
    expect(await get(`https://dav.example.com:${server.port}/`, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toBe('tls');
    expect(server.requests).toEqual([]);
  });

  it('N31 connects directly, whatever the environment says about proxies', async () => {
    await start({});
    const proxy = await FaultServer.start();
    try {
      const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
      const environment = { NODE_USE_ENV_PROXY: '1', ...Object.fromEntries(names.map((name) => [name, proxy.origin])) };
      expect(await get(`${server.origin}/`, environment)).toBe('200');
      expect(server.requests.map(({ url }) => url)).toEqual(['/']);
      expect(await get('https://127.0.0.1/', { ...environment, NO_PROXY: '*' })).toBe('address-blocked');
      expect(proxy.connectionCount).toBe(0);
    } finally {
      await proxy.close();
    }
  });
});
