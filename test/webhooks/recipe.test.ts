import { execFile } from 'node:child_process';
import { randomUUIDv7 } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { mock } from 'node:test';
import { promisify } from 'node:util';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import * as svix from 'svix';
import { GuardedEgress } from '#egress';
import { RETRY_STEPS_MS, SigningSecret, type WebhookDelivery } from '#webhooks';
import { FaultServer, type Fault } from '../support/fault-server.js';
import { answer } from '../support/faults.js';
import { temporaryDirectory } from '../support/processes.js';
import { fencedBlocks } from '../docs/page.js';
import { attemptOnce, recipeDelivery } from '../support/recipe-sender.js';

const ROOT = join(import.meta.dirname, '..', '..');
const RECIPE = join(ROOT, 'docs', 'guides', 'recipes', 'webhook-receiver.mjs');
const PAGE = readFileSync(join(ROOT, 'docs', 'guides', 'webhooks.md'), 'utf8');

interface Row {
  endpointSecret: string;
  endUserAccountId: string;
  calendarId: string;
  window: Record<string, string>;
  syncToken: string | null;
}

interface Parts {
  api: { url: string; key: string };
  subscriptions: {
    find(id: string): Promise<Row | undefined>;
    saveSyncToken(id: string, token: string): Promise<void>;
  };
  seen: { has(id: string): Promise<boolean>; add(id: string): Promise<unknown> };
  store(events: unknown[]): Promise<void>;
}

type Recipe = { webhookReceiver(parts: Parts): RequestListener };

const json = (body: unknown): Fault => answer(200, JSON.stringify(body), { 'content-type': 'application/json' });

describe('the receiver of the documentation', () => {
  it('is the one that is tested here', () => expect(fencedBlocks(PAGE, 'js')).toEqual([readFileSync(RECIPE, 'utf8')]));

  describe.each([
    ['svix', { ...svix }],
    ['standardwebhooks', { Webhook: StandardWebhook }],
  ])('with %s', (name, verifier) => {
    let recipe: Recipe;
    let api: FaultServer;
    let receiver: Server;
    let egress: GuardedEgress;
    let url: string;
    const id = randomUUIDv7();
    const secret = SigningSecret.generate();
    let row: Row;
    let stored: unknown[];
    const seen = new Set<string>();
    const EVENTS = '/api/v1/events/account/ada%40example.com';

    beforeAll(async () => {
      const mocked = mock.module('svix', { exports: verifier });
      recipe = (await import(`${RECIPE}?${name}`)) as Recipe;
      mocked.restore();
    });

    beforeEach(async () => {
      stored = [];
      row = {
        endpointSecret: secret.reveal(),
        endUserAccountId: 'account',
        calendarId: 'ada@example.com',
        window: { startDateTime: '2026-01-01T00:00:00Z', endDateTime: '2028-01-01T00:00:00Z' },
        syncToken: 'token-1',
      };
      api = await FaultServer.start();
      const app = recipe.webhookReceiver({
        api: { url: `${api.origin}/api`, key: 'key' },
        subscriptions: {
          find: async (asked) => (asked === id ? row : undefined),
          saveSyncToken: async (_id, syncToken) => void (row.syncToken = syncToken),
        },
        seen: { has: async (webhookId) => seen.has(webhookId), add: async (webhookId) => seen.add(webhookId) },
        store: async (events) => void stored.push(...events),
      });
      receiver = createServer(app);
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
      const { port } = receiver.address() as AddressInfo;
      url = `http://127.0.0.1:${port}/webhooks/calendar`;
      egress = new GuardedEgress({ allow: `127.0.0.1:${port}` });
    });

    afterEach(async () => {
      await egress.close();
      await new Promise((resolve) => receiver.close(resolve));
      await api.close();
    });

    const delivery = ({ subscriptionId = id, signer = secret } = {}): WebhookDelivery =>
      recipeDelivery(subscriptionId, url, { active: signer, retiring: [] });
    const attempted = (sent: WebhookDelivery, nowMs?: number) => attemptOnce(egress, sent, nowMs);

    const asked = (): string[] => api.requests.map((request) => request.url);

    it('reads what changed since the last time, page by page', async () => {
      api.route(
        EVENTS,
        json({ data: [{ id: '1' }], nextPageToken: 'page-2' }),
        json({ data: [{ id: '2', isCancelled: true }], nextSyncToken: 'token-2' }),
        json({ data: [], nextSyncToken: 'token-3' }),
      );
      expect(await attempted(delivery())).toBe('204 delivered');
      expect([stored, row.syncToken]).toEqual([[{ id: '1' }, { id: '2', isCancelled: true }], 'token-2']);
      expect(await attempted(delivery())).toBe('204 delivered');
      expect(asked()).toEqual([
        `${EVENTS}?syncToken=token-1`,
        `${EVENTS}?syncToken=token-1&pageToken=page-2`,
        `${EVENTS}?syncToken=token-2`,
      ]);
      expect(api.requests[0]?.headers['x-api-key']).toBe('key');
    });

    it('W2 works a message off once, however often it comes', async () => {
      api.route(EVENTS, json({ data: [{ id: '1' }], nextSyncToken: 'token-2' }));
      const replayed = delivery();
      for (let count = 0; count < 3; count += 1) expect(await attempted(replayed)).toBe('204 delivered');
      expect([stored, asked()]).toEqual([[{ id: '1' }], [`${EVENTS}?syncToken=token-1`]]);
    });

    it('answers 400 to what we did not sign, or not now, and reads nothing', async () => {
      const forged = delivery({ signer: SigningSecret.generate() });
      expect(await attempted(forged)).toBe('400 retry');
      expect(await attempted(delivery(), Date.now() - 600_000)).toBe('400 retry');
      const unsigned = await fetch(url, {
        ...{ method: 'POST', headers: { 'x-webhook-subscription-id': id, 'content-type': 'application/json' } },
        body: '{"eventType":"calendar.event.changed"}',
      });
      expect(unsigned.status).toBe(400);
      expect(await attempted(delivery({ subscriptionId: randomUUIDv7() }))).toBe('404 retry');
      expect(asked()).toEqual([]);
    });

    it('lets a message come again when it could not be worked off', async () => {
      jest.spyOn(console, 'error').mockImplementation(() => undefined);
      api.route(EVENTS, answer(503), json({ data: [{ id: '1' }], nextSyncToken: 'token-2' }));
      const sent = delivery();
      expect(await attempted(sent)).toBe('500 retry');
      expect(row.syncToken).toBe('token-1');
      expect(await attempted(sent)).toBe('204 delivered');
      expect([stored, row.syncToken]).toEqual([[{ id: '1' }], 'token-2']);
    });

    it('reads everything anew when the token is too old, or there is none yet', async () => {
      const window = 'startDateTime=2026-01-01T00%3A00%3A00Z&endDateTime=2028-01-01T00%3A00%3A00Z';
      api.route(EVENTS, answer(410), json({ data: [{ id: '1' }], nextSyncToken: 'token-9' }));
      expect(await attempted(delivery())).toBe('204 delivered');
      row.syncToken = null;
      expect(await attempted(delivery())).toBe('204 delivered');
      expect(asked()).toEqual([`${EVENTS}?syncToken=token-1`, `${EVENTS}?${window}`, `${EVENTS}?${window}`]);
      expect(row.syncToken).toBe('token-9');
    });
  });
});

describe('the page about webhooks', () => {
  it('W1 shows how to make the signature with openssl', async () => {
    const secret = SigningSecret.generate();
    const body = '{"eventType":"calendar.event.changed","timestamp":"2026-11-21T10:00:00.000Z"}';
    const script = fencedBlocks(PAGE, 'sh').find((block) => block.includes('openssl')) ?? '';
    const directory = await temporaryDirectory('signature');
    try {
      await writeFile(join(directory.path, 'body.json'), body);
      const sentAt = new Date();
      const env = {
        PATH: process.env.PATH,
        SECRET: secret.reveal(),
        WEBHOOK_ID: 'msg_1',
        WEBHOOK_TIMESTAMP: String(Math.floor(sentAt.getTime() / 1_000)),
      };
      const { stdout } = await promisify(execFile)('sh', ['-ec', script], { cwd: directory.path, env });
      const expected = new StandardWebhook(secret.reveal()).sign('msg_1', sentAt, body);
      expect(stdout.trim()).toBe(expected);
    } finally {
      await directory.remove();
    }
  });

  it('says the schedule as it is', () => {
    const units: [number, string][] = [
      [3_600_000, 'h'],
      [60_000, 'min'],
      [1_000, 's'],
    ];
    const steps = RETRY_STEPS_MS.map((ms) => {
      const [size, name] = units.find(([unit]) => ms >= unit) ?? [1, 'ms'];
      return `${ms / size} ${name}`;
    });
    expect(PAGE).toContain(`Attempts come ${steps.slice(0, -1).join(', ')} and ${steps.at(-1)} after the one before`);
  });
});
