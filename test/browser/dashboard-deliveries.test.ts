// 75 s: Chromium waits for pages that refresh every few seconds, and for deliveries that fail first.
import { randomUUIDv7 } from 'node:crypto';
import type { Page } from 'playwright-core';
import type { ApplicationRef } from '#domain/applications';
import { KeyRing } from '#persistence';
import { messageIdOf, SigningSecret } from '#webhooks';
import { openPersistence, type Persistence } from '../persistence/persistence.js';
import { accessibilityProblems, Dashboard, settled } from '../support/dashboard.js';
import { answer } from '../support/faults.js';
import { HOSTILE_TEXTS } from '../support/hostile-texts.js';
import { eventually } from '../support/processes.js';
import { startService, type Service } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { runWorker, type WorkerUnderTest } from '../support/worker.js';

/** What is kept of an answer ends at a KiB: four of them hold all. */
const HOSTILE_RESPONSES = [0, 1, 2, 3].map((quarter) => HOSTILE_TEXTS.filter((_, at) => at % 4 === quarter).join('\n'));

const TRACE_URL = 'https://traces.example/{traceId}?from=calendar';

let service: Service;
let receiver: WebhookReceiver;
let worker: WorkerUnderTest;
let persistence: Persistence;
let dashboard: Dashboard;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  service = await startService({ EGRESS_ALLOW: receiver.egressAllow, TRACE_URL });
  worker = await runWorker(service.env['DATABASE_URL']!, service.env);
  persistence = await openPersistence({
    testDatabase: {
      url: service.env['DATABASE_URL']!,
      adminUrl: service.adminDatabaseUrl,
      drop: async () => undefined,
    },
    keyRing: KeyRing.parse(service.env['ENCRYPTION_KEYS']!),
  });
  dashboard = await Dashboard.open(service);
});

afterAll(async () => {
  await dashboard?.close();
  await worker?.stop();
  await persistence?.close();
  await service?.stop();
  await receiver?.close();
});

interface Place {
  application: ApplicationRef;
  endpointId: string;
  url: string;
}

/** An endpoint of an application of its own, at `path` of the receiver. */
async function newEndpoint(path: string): Promise<Place> {
  const url = `http://${receiver.egressAllow}${path}`;
  const application = await persistence.newApplication();
  const { id } = await persistence.endpoints.create(application, {
    syncedCalendarId: null,
    url,
    eventTypes: ['enduseraccount.updated'],
    rateLimit: null,
    secrets: { active: SigningSecret.generate().reveal(), retiring: [] },
  });
  return { application, endpointId: id, url };
}

/** @returns its id in the database */
async function newMessage({ application, endpointId }: Place): Promise<string> {
  const id = randomUUIDv7();
  const body = Buffer.from('{"eventType":"enduseraccount.updated","timestamp":"2026-11-21T10:00:00.000Z"}');
  await persistence.messages.add(application, endpointId, { id, eventType: 'enduseraccount.updated', body });
  return id;
}

/** A message that the worker tried in vain, by what the receiver answers now, until its schedule was over. */
async function undeliverable(place: Place): Promise<string> {
  const id = await newMessage(place);
  const read = () =>
    persistence.admin<{ failures: number; state: string }>(
      'select failures, state from webhook_message where id = $1',
      [id],
    );
  await eventually('the first attempt failed', async () => ((await read())[0]?.failures === 1 ? true : undefined));
  // The hours of its schedule pass at once: what is due now is its last attempt.
  await persistence.admin(
    'update webhook_message set failures = 7, next_attempt_at = now(), enqueue_at = now() where id = $1',
    [id],
  );
  await eventually('it is given up', async () => ((await read())[0]?.state === 'failed' ? true : undefined));
  return messageIdOf(id);
}

const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text });

async function heading(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** On a page with everything on it, in both themes and on a phone. */
async function expectReadable(page: Page): Promise<void> {
  await settled(page);
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 320, height: 740 });
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await page.evaluate('scrollTo(10_000, 0), scrollX')).toBe(0);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
}

describe('deliveries', () => {
  it('N20 N63 a failed one is found, its attempts and hostile answers are read as text, it is resent and arrives', async () => {
    const [first, second, third, fourth] = HOSTILE_RESPONSES.map((text) => answer(500, text));
    const place = await newEndpoint('/broken');
    receiver.endpoint('/broken', first!, second!, third!, fourth!, answer(204));
    const messageId = await undeliverable(place);

    const { page, problems, outside } = await dashboard.newPage('/messages');
    let alerts = 0;
    page.on('dialog', (dialog) => {
      alerts += 1;
      void dialog.dismiss();
    });
    await page.getByLabel('State').focus();
    await page.getByLabel('State').selectOption('failed');
    expect(new URL(page.url()).search).toBe('?state=failed');
    expect(await page.getByLabel('State').evaluate((select) => select.matches(':focus'))).toBe(true);
    const found = row(page, place.url);
    await found.getByText('exhausted').waitFor();
    await found.getByRole('link', { name: 'enduseraccount.updated' }).click();
    await heading(page, 'enduseraccount.updated');
    await page.getByText(messageId, { exact: true }).waitFor();
    await page.getByText('Every attempt of the schedule failed').waitFor();
    expect(JSON.parse(await page.getByRole('group', { name: 'Body' }).innerText())).toMatchObject({
      eventType: 'enduseraccount.updated',
    });

    const texts: string[] = [];
    const read = async (attempt: string) => {
      const text = await page.getByRole('group', { name: `Answer to ${attempt}`, exact: true }).innerText();
      texts.push(...text.split('\n'));
    };
    await read('Attempt 1');
    await read('Attempt 2');
    const attempt = page.getByRole('listitem').filter({ hasText: 'Attempt 2' });
    await attempt.getByText('The receiver answered 500.').waitFor();
    await attempt.getByText(/, took \d/).waitFor();
    await attempt.getByText('Headers that were sent').click();
    const headers = await page.getByRole('group', { name: 'Headers of Attempt 2' }).innerText();
    expect(headers).toContain(`webhook-id: ${messageId}`);
    expect(headers).not.toContain('webhook-signature');

    for (const name of ['Attempt by hand 1', 'Attempt by hand 2']) {
      await page.getByRole('button', { name: 'Resend' }).click();
      await read(name);
    }
    expect(new Set(texts)).toEqual(new Set(HOSTILE_TEXTS));
    await expectReadable(page);
    expect(await page.locator('.ran').count()).toBe(0);
    expect([alerts, problems, outside]).toEqual([0, [], []]);

    await page.getByRole('button', { name: 'Resend' }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Attempt by hand 3' })
      .getByText('204', { exact: true })
      .waitFor();
    await page.getByRole('banner').or(page.locator('header')).getByText('delivered').first().waitFor();
    expect(receiver.ids('/broken')).toEqual([messageId]);
    await page.close();
  });

  it('are sent again, all that filters of endpoint, type and time find', async () => {
    const place = await newEndpoint('/back');
    receiver.endpoint('/back', ...[500, 500, 500, 500, 204, 204].map((status) => answer(status)));
    const ids = [await undeliverable(place), await undeliverable(place)];
    const { page, problems, outside } = await dashboard.newPage('/messages');
    const again = page.getByRole('button', { name: 'Send again…' });
    await page.getByLabel('Endpoint id').fill(place.endpointId);
    await page.getByLabel('Event type').fill('enduseraccount.updated');
    await page.getByLabel('From').fill('2026-01-01T00:00');
    await page.getByLabel('From').blur();
    expect(await again.count()).toBe(0);
    await page.getByLabel('State').selectOption('failed');
    await row(page, place.url).nth(1).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      ...{ state: 'failed', endpointId: place.endpointId, eventType: 'enduseraccount.updated' },
      from: expect.stringMatching(/^20(25|26)-.*Z$/),
    });
    await again.click();
    expect(await page.getByRole('dialog').getByLabel('Made since').inputValue()).toBe('2026-01-01T00:00');
    await expectReadable(page);
    await page.getByRole('button', { name: 'Send again', exact: true }).click();
    await page.getByText('2 messages are sent again.').waitFor();
    await page.getByRole('heading', { name: 'No such message' }).waitFor({ timeout: 30_000 });
    expect(receiver.ids('/back')).toEqual(ids);
    expect([problems, outside]).toEqual([[], []]);
    await page.close();
  });

  it('what failed is recovered, a test event arrives, rate and secret are changed, a viewer is offered none of it', async () => {
    const place = await newEndpoint('/mended');
    receiver.endpoint('/mended', answer(503, 'closed'));
    await undeliverable(place);
    const { page, problems } = await dashboard.newPage(
      `/endpoints?state=failing&applicationId=${place.application.applicationId}`,
    );
    await page.getByRole('link', { name: place.url }).click();
    await heading(page, 'Endpoint');
    await page.getByText('The last attempts failed').waitFor();
    await row(page, 'enduseraccount.updated').getByText('exhausted').waitFor();
    await expectReadable(page);

    receiver.endpoint('/mended', answer(204));
    const more = async (item: string) => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: item }).click();
      await page.getByRole('dialog').waitFor();
    };
    await more('Recover…');
    await page.getByRole('dialog').getByLabel('Made since').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Recover', exact: true }).click();
    await page.getByRole('status').getByText('One message is sent again.').waitFor();
    await row(page, 'enduseraccount.updated').getByText('delivered').waitFor();

    await page.getByRole('button', { name: 'Send test event' }).click();
    await row(page, 'webhook.test').getByText('delivered').waitFor();
    expect(receiver.ids('/mended')).toHaveLength(2);

    await more('Set rate…');
    await page.getByLabel('Messages a second').fill('7');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('7 a second at most').waitFor();

    await more('Rotate secret…');
    await page.getByRole('button', { name: 'Rotate secret', exact: true }).click();
    expect(await page.getByTestId('secret').innerText()).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.getByTestId('secret').count()).toBe(0);

    await page.getByRole('region', { name: 'Figures' }).getByRole('button', { name: 'Table' }).first().click();
    await row(page, 'From').filter({ hasText: 'Delivered' }).waitFor();

    await page.route('**/api/operator/v1/session', async (route) => {
      const answered = await route.fetch();
      const session = (await answered.json()) as { operator: object };
      await route.fulfill({
        response: answered,
        json: { ...session, operator: { ...session.operator, role: 'viewer' } },
      });
    });
    await dashboard.goto(page, `/endpoints/${place.endpointId}`);
    await row(page, 'webhook.test').waitFor();
    expect(await page.getByRole('button', { name: /send test event|more|enable/i }).count()).toBe(0);
    await page.unroute('**/api/operator/v1/session');

    await dashboard.goto(page, `/endpoints/${place.endpointId}`);
    await more('Delete…');
    await page.getByRole('button', { name: 'Delete endpoint' }).click();
    await heading(page, 'Endpoints');
    await page.getByRole('link', { name: place.url }).waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
    await page.close();
  });

  it('an endpoint that answered 410 says why it is disabled, and works once it was enabled', async () => {
    const place = await newEndpoint('/gone');
    receiver.endpoint('/gone', answer(410), answer(204));
    await newMessage(place);
    const { page, problems } = await dashboard.newPage(`/endpoints/${place.endpointId}`);
    await page.getByText('The receiver answered 410').waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Send test event' }).click();
    await row(page, 'webhook.test').getByText('delivered').waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  it.each(['messages', 'endpoints'])('one of the %s that there is not is told as missing, once', async (kind) => {
    const { page } = await dashboard.newPage('/profile');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.clock.install();
    await dashboard.goto(page, `/${kind}/nothing`);
    await page.getByRole('alert').waitFor();
    await settled(page);
    asked.length = 0;
    await page.clock.runFor(60_000);
    expect(asked.filter((url) => url.endsWith(`/${kind}/nothing`))).toEqual([]);
    await page.close();
  });

  it('what is refused leads from its request id to the request log', async () => {
    const place = await newEndpoint('/refused');
    const { page } = await dashboard.newPage(`/endpoints/${place.endpointId}`);
    await page.getByRole('button', { name: 'Send test event' }).waitFor();
    await persistence.endpoints.disable(place.application, place.endpointId, 'requested');
    await page.getByRole('button', { name: 'Send test event' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Enable it first' });
    await alert.getByRole('link', { name: 'Look it up' }).click();
    await heading(page, 'Request log');
    await row(page, 'POST /operator/v1/endpoints/:endpointId/test').getByText('409', { exact: true }).waitFor();
    await page.close();
  });
});

describe('the request log', () => {
  it('finds a request by its id, and leads back to the filters that were set', async () => {
    const { headers } = await service.call('GET', '/v1/endUserAccounts/0197a000-0000-7000-8000-000000000000');
    const requestId = headers.get('x-request-id')!;
    const { page, problems } = await dashboard.newPage('/requests');
    await page.getByLabel('Request id', { exact: true }).fill(requestId);
    await page.keyboard.press('Enter');
    const found = row(page, requestId);
    await found.getByText('GET /v1/endUserAccounts/:endUserAccountId').waitFor();
    await found.getByText('NotFound').waitFor();
    await found.getByRole('link', { name: 'first' }).waitFor();
    expect(await found.getByRole('link', { name: 'Trace' }).count()).toBe(0);
    // As if its trace were exported.
    await persistence.admin('update request_record set trace_id = $2 where request_id = $1', [requestId, 'abc123']);
    await page.reload();
    expect(await found.getByRole('link', { name: 'Trace' }).getAttribute('href')).toBe(
      'https://traces.example/abc123?from=calendar',
    );
    await expectReadable(page);

    await page.getByLabel('Status').selectOption('5xx');
    await page.getByRole('heading', { name: 'No such request' }).waitFor();
    await page.goBack();
    await found.waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    expect(new URL(page.url()).search).toBe('');
    expect(problems).toEqual([]);
    await page.close();
  });
});

describe('the overview', () => {
  it('shows a new account without being loaded again, and moves nothing', async () => {
    const { page, problems } = await dashboard.newPage('/');
    const active = page.locator('dl > div').filter({ hasText: 'Active accounts' });
    await active.getByText(/^\d+$/).waitFor();
    const before = Number(await active.getByText(/^\d+$/).innerText());
    await page.evaluate('window.isSame = true; window.layoutShift = 0');
    await persistence.newAccount({ applicationId: service.applicationId });
    await active.getByText(String(before + 1), { exact: true }).waitFor();
    expect(await page.evaluate('[window.isSame, window.layoutShift]')).toEqual([true, 0]);
    await expectReadable(page);

    await page.getByRole('table', { name: 'Accounts by provider and status' }).getByRole('link').first().click();
    await heading(page, 'Accounts');
    expect(new URL(page.url()).search).toMatch(/providerType=\w+&status=ACTIVE/);
    expect(problems).toEqual([]);
    await page.close();
  });
});
