import { randomUUIDv7 } from 'node:crypto';
import { DomainError } from '#domain/system';
import { GuardedEgress } from '#egress';
import { accountMessage, EndpointUrlPolicy, SigningSecret, classifyAttempt, WebhookSender } from '#webhooks';
import { blockedUrls } from '../support/blocked-urls.js';
import { FaultServer } from '../support/fault-server.js';

describe('endpoints that lead into our own network', () => {
  let trap: FaultServer;
  const egress = new GuardedEgress({
    resolver: { lookup: async (name) => Promise.reject(new Error(`unexpected question: ${name}`)) },
  });

  beforeAll(async () => {
    trap = await FaultServer.start();
  });

  afterAll(async () => {
    await egress.close();
    await trap.close();
  });

  it('N22 are refused when they are named, in more than 100 spellings, over https and http', async () => {
    const urls = blockedUrls(trap.port).flatMap((url) => [url, url.replace('https:', 'http:')]);
    expect(urls.length).toBeGreaterThan(200);
    for (const url of urls) {
      const error: unknown = await new EndpointUrlPolicy(egress)
        .assertAllowed(url, 'webhookUrl')
        .catch((reason: unknown) => reason);
      expect(`${url} ${error instanceof DomainError ? error.code : String(error)}`).toMatch(
        / (ServerNotAllowed|ValidationFailed)$/,
      );
    }
    expect(trap.connectionCount).toBe(0);
  });

  it('N22 W7 are refused by every attempt, for good, and nothing is sent', async () => {
    const sender = new WebhookSender(egress, { nowMs: Date.now });
    const secrets = { active: SigningSecret.generate(), retiring: [] };
    const endpoint = { id: 'endpoint', applicationId: 'application', rateLimit: null, secrets };
    const message = accountMessage(randomUUIDv7(), { eventType: 'enduseraccount.created', payload: {} });
    const identity = { webhookSubscriptionId: null, endUserAccountId: 'account', calendarId: null };
    for (const url of blockedUrls(trap.port)) {
      const result = await sender.attempt({ message, endpoint: { ...endpoint, url }, identity, isByHand: false });
      expect(`${url} ${classifyAttempt(result).kind}`).toBe(`${url} rejected`);
    }
    expect(trap.connectionCount).toBe(0);
  });
});
