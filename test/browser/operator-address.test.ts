// 20 s: Chromium uses a dashboard at an address of its own.
import { request } from 'node:http';
import { Dashboard } from '../support/dashboard.js';
import { startGoogleService, TEST_CLIENT, type GoogleService } from '../support/google-service.js';
import { freePort } from '../support/processes.js';
import { startService, type Service } from '../support/service.js';

const PAGES = ['/dashboard', '/Dashboard/sign-in', '/dashboard/assets/x.js', '/api/operator/v1/session'];
const API = ['/api/v1/endUserAccounts', '/api/openapi.json', '/health/live', '/api/v1/oauth/callback/google'];

/** Status of a request to the service whose `Host` says what it is told to. */
function statusAt(
  { baseUrl }: Service,
  host: string,
  path: string,
  { method = 'GET', ...headers }: Record<string, string> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}${path}`, { method, headers: { host, ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });
}

describe('the dashboard and the operator API at an address of their own', () => {
  let google: GoogleService;
  let dashboard: Dashboard;
  let operatorUrl: string;
  let publicHost: string;

  beforeAll(async () => {
    const port = await freePort();
    operatorUrl = `http://operators.localhost:${port}`;
    publicHost = `127.0.0.1:${port}`;
    google = await startGoogleService(({ googleUrl }) => ({
      PORT: String(port),
      PUBLIC_URL: `http://${publicHost}`,
      OPERATOR_URL: operatorUrl,
      GOOGLE_OAUTH_URL: googleUrl.replace('127.0.0.1', 'localhost'),
    }));
    // The setup link leads to the address.
    dashboard = await Dashboard.open({ ...google.service, baseUrl: operatorUrl });
  });

  afterAll(async () => {
    await dashboard?.close();
    await google?.stop();
  });

  it('answer there, and nowhere else', async () => {
    const { host } = new URL(operatorUrl);
    for (const path of PAGES) {
      const [here, ...elsewhere] = await Promise.all(
        [host, publicHost, '127.0.0.1', 'operators.localhost', `${host}.example.com`].map((name) =>
          statusAt(google.service, name, path),
        ),
      );
      expect([path, elsewhere]).toEqual([path, [404, 404, 404, 404]]);
      const expected = path.endsWith('.js') ? 404 : path.includes('session') ? 401 : 200;
      expect([path, here]).toEqual([path, expected]);
    }
    // A proxy decides what `Host` is; no other header does.
    const forwarded = { 'x-forwarded-host': host, forwarded: `host=${host}` };
    expect(await statusAt(google.service, publicHost, '/dashboard', forwarded)).toBe(404);
  });

  it('leave the API at its own address', async () => {
    for (const path of API) {
      const found = await statusAt(google.service, publicHost, path, {
        authorization: `Bearer ${google.service.apiKey}`,
      });
      expect([path, found]).not.toEqual([path, 404]);
    }
  });

  it('take changes of their own pages alone', async () => {
    const { page, problems } = await dashboard.newPage('/applications');
    await page.getByRole('button', { name: 'Create an application', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Elsewhere');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Elsewhere' }).waitFor();
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name }) => name)).toContain('__Secure-uc_operator');
    const headers = { method: 'DELETE', cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') };
    for (const origin of [`http://${publicHost}`, 'https://calendar.example.com']) {
      const crossed = { ...headers, origin, 'content-type': 'application/json' };
      expect(await statusAt(google.service, new URL(operatorUrl).host, '/api/operator/v1/session', crossed)).toBe(403);
    }
    expect(problems).toEqual([]);
  });

  it('test a sign-in, which the provider sends back to the public address', async () => {
    await google.sandbox.addUser({ email: 'ada@example.com' });
    const { page } = await dashboard.newPage(`/applications/${google.service.applicationId}/sign-in`);
    const card = page.getByRole('region', { name: 'Google', exact: true });
    await card
      .getByRole('button', { name: /client$/ })
      .first()
      .click();
    await page.getByLabel('Client id').fill(TEST_CLIENT.clientId);
    await page.getByLabel('Client secret').fill(TEST_CLIENT.clientSecret);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await card.getByText(`http://${publicHost}/api/v1/oauth/callback/google`).waitFor();
    await page.getByRole('button', { name: 'Test sign-in with Google' }).click();
    await page.getByTestId('account-ada@example.com').click();
    await page.getByTestId('allow').click();
    await page.getByRole('region', { name: 'Test of the sign-in with Google' }).getByText('passed').waitFor();
    expect(page.url()).toContain(`${operatorUrl}/dashboard/applications/`);
  });

  it('does not send other sign-ins there', async () => {
    const secret = 'x'.repeat(43);
    for (const [state, expected] of [
      [`test.${secret}`, 302],
      [secret, 400],
      ['test.x', 400],
    ] as const) {
      const path = `/api/v1/oauth/callback/google?code=c&state=${state}`;
      expect([state, await statusAt(google.service, publicHost, path)]).toEqual([state, expected]);
      // It never leads in a circle.
      expect(await statusAt(google.service, new URL(operatorUrl).host, path)).toBe(400);
    }
  });
});

describe('without a dashboard', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({ OPERATOR_URL: 'off' });
  });

  afterAll(() => service?.stop());

  it('there is nothing of operators, and the API works', async () => {
    const { host } = new URL(service.baseUrl);
    for (const path of [...PAGES, '/api/operator/v1/openapi.json']) {
      expect([path, await statusAt(service, host, path)]).toEqual([path, 404]);
    }
    expect((await service.call('GET', '/v1/endUserAccounts')).status).toBe(200);
    expect(service.program.stdout()).not.toContain('setupLink');
  });
});
