import { randomUUIDv7 } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GuardedEgress } from '#egress';
import { SigningSecret, type WebhookDelivery } from '#webhooks';
import { FaultServer, type Fault } from '../support/fault-server.js';
import { answer } from '../support/faults.js';
import { eventually, type RunningProgram } from '../support/processes.js';
import { runPython } from '../support/python.js';
import { fencedBlocks } from '../docs/page.js';
import { attemptOnce, recipeDelivery } from '../support/recipe-sender.js';

const ROOT = join(import.meta.dirname, '..', '..');
const EVENTS = '/api/v1/events/account/ada%40example.com';
const WINDOW = 'startDateTime=2026-01-01T00%3A00%3A00Z&endDateTime=2028-01-01T00%3A00%3A00Z';

/** Serves the receiver with tables in memory; prints where, and then what it stores and the tokens it saves. */
const PROGRAM = `
import json, sys
from wsgiref.simple_server import make_server
sys.path.insert(0, "docs/guides/recipes")
from webhook_receiver import webhook_receiver
api_url, subscription_id, row = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])

class Subscriptions:
    def find(self, asked):
        return row if asked == subscription_id else None
    def save_sync_token(self, _, token):
        row["sync_token"] = token
        print(json.dumps({"token": token}))

def store(events, subscription):
    print(json.dumps({"stored": [event["id"] for event in events]}))

app = webhook_receiver({"url": api_url, "key": "key"}, Subscriptions(), set(), store)
server = make_server("127.0.0.1", 0, app)
print(server.server_port)
server.serve_forever()
`;

const json = (body: unknown): Fault => answer(200, JSON.stringify(body), { 'content-type': 'application/json' });

describe('the receiver in Python of the documentation', () => {
  const id = randomUUIDv7();
  const secret = SigningSecret.generate();
  let api: FaultServer;
  let program: RunningProgram;
  let egress: GuardedEgress;
  let url: string;

  beforeAll(async () => {
    api = await FaultServer.start();
    const row = {
      endpoint_secret: secret.reveal(),
      end_user_account_id: 'account',
      calendar_id: 'ada@example.com',
      window: { startDateTime: '2026-01-01T00:00:00Z', endDateTime: '2028-01-01T00:00:00Z' },
      sync_token: null,
    };
    program = runPython(PROGRAM, [`${api.origin}/api`, id, JSON.stringify(row)], ROOT);
    const port = await eventually('it listens', () => /^\d+$/m.exec(program.stdout())?.[0]);
    url = `http://127.0.0.1:${port}/webhooks/calendar`;
    egress = new GuardedEgress({ allow: `127.0.0.1:${port}` });
  });

  afterAll(async () => {
    await egress?.close();
    await program?.stop();
    await api?.close();
  });

  let before = { printed: 0, asked: 0 };
  beforeEach(() => {
    before = { printed: printed().length, asked: api.requests.length };
  });
  afterEach(() => expect(api.requests.every(({ headers }) => headers['x-api-key'] === 'key')).toBe(true));

  const printed = (): unknown[] => {
    const [, ...lines] = program.stdout().trim().split('\n');
    return lines.map((line) => JSON.parse(line) as unknown);
  };
  const done = () => printed().slice(before.printed);
  const asked = () => api.requests.slice(before.asked).map((request) => request.url);

  const delivery = ({ subscriptionId = id, signer = secret } = {}): WebhookDelivery =>
    recipeDelivery(subscriptionId, url, {
      active: signer,
      retiring: [{ secret: SigningSecret.generate(), endsAt: new Date(Date.now() + 60_000) }],
    });
  const attempted = (sent: WebhookDelivery, nowMs?: number) => attemptOnce(egress, sent, nowMs);

  it('is the one that is tested here', () => {
    const page = readFileSync(join(ROOT, 'docs', 'guides', 'webhooks.md'), 'utf8');
    expect(fencedBlocks(page, 'python')).toEqual([
      readFileSync(join(ROOT, 'docs', 'guides', 'recipes', 'webhook_receiver.py'), 'utf8'),
    ]);
  });

  it('reads everything at first, then what changed, page by page', async () => {
    api.route(
      EVENTS,
      json({ data: [{ id: '1' }], nextPageToken: 'page-2' }),
      json({ data: [{ id: '2' }], nextSyncToken: 'token-1' }),
      json({ data: [{ id: '1' }], nextSyncToken: 'token-2' }),
    );
    expect(await attempted(delivery())).toBe('204 delivered');
    expect(await attempted(delivery())).toBe('204 delivered');
    expect(asked()).toEqual([
      `${EVENTS}?${WINDOW}`,
      `${EVENTS}?${WINDOW}&pageToken=page-2`,
      `${EVENTS}?syncToken=token-1`,
    ]);
    expect(done()).toEqual([
      ...[{ stored: ['1'] }, { stored: ['2'] }, { token: 'token-1' }],
      ...[{ stored: ['1'] }, { token: 'token-2' }],
    ]);
  });

  it('W2 works a message off once, however often it comes', async () => {
    api.route(EVENTS, json({ data: [], nextSyncToken: 'token-3' }));
    expect(await attempted(delivery())).toBe('204 delivered');
    const { length } = asked();
    const replayed = delivery();
    for (let count = 0; count < 3; count += 1) expect(await attempted(replayed)).toBe('204 delivered');
    expect(asked().slice(length)).toEqual([`${EVENTS}?syncToken=token-3`]);
  });

  it('answers 400 to what we did not sign, or not now, and reads nothing', async () => {
    expect(await attempted(delivery({ signer: SigningSecret.generate() }))).toBe('400 retry');
    expect(await attempted(delivery(), Date.now() - 600_000)).toBe('400 retry');
    const now = String(Math.floor(Date.now() / 1_000));
    // Python refuses to read a number of more than 4,300 digits.
    const tries = [...['', 'v1,', 'v1,ü', 'v2,x y'].map((signature) => [signature, now]), ['v1,', '9'.repeat(5_000)]];
    for (const [signature = '', timestamp = ''] of tries) {
      const { status } = await fetch(url, {
        method: 'POST',
        headers: {
          'webhook-id': 'msg_1',
          'webhook-timestamp': timestamp,
          'x-webhook-subscription-id': id,
          'webhook-signature': Buffer.from(signature).toString('latin1'),
        },
        body: '{}',
      });
      expect(status).toBe(400);
    }
    expect(await attempted(delivery({ subscriptionId: randomUUIDv7() }))).toBe('404 retry');
    expect([asked(), done()]).toEqual([[], []]);
  });

  it('lets a message come again when it could not be worked off', async () => {
    api.route(EVENTS, answer(503), json({ data: [], nextSyncToken: 'token-4' }));
    const sent = delivery();
    expect(await attempted(sent)).toBe('500 retry');
    expect(await attempted(sent)).toBe('204 delivered');
    expect(done()).toEqual([{ stored: [] }, { token: 'token-4' }]);
  });

  it('reads everything anew when the token is too old', async () => {
    api.route(EVENTS, answer(410), json({ data: [{ id: '9' }], nextSyncToken: 'token-9' }));
    expect(await attempted(delivery())).toBe('204 delivered');
    expect(asked()).toEqual([`${EVENTS}?syncToken=token-4`, `${EVENTS}?${WINDOW}`]);
    expect(done()).toEqual([{ stored: ['9'] }, { token: 'token-9' }]);
  });
});
