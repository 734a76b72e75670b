import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageIdOf } from '../../libs/webhooks/src/message.js';
import { selfSigned } from './certificate.js';
import { startOAuthFixture, type OAuthProviderType, type OAuthFixture } from './oauth-subject.js';
import type { Answer } from './service.js';
import { WebhookReceiver } from './webhook-receiver.js';
import { runWorker, type WorkerUnderTest } from './worker.js';
import { eventually, temporaryDirectory } from './processes.js';

/** A calendar of somebody, and where the application is told of its changes. */
export interface Subscribed {
  providerType: OAuthProviderType;
  email: string;
  accountId: string;
  calendarId: string;
  subscriptionId: string;
  secret: string;
  /** At the receiver. */
  path: string;
}

/** All of it: sandbox, api, workers, and an application with a receiver. */
export interface WebhookSystem {
  readonly fixture: OAuthFixture;
  readonly receiver: WebhookReceiver;
  /** Those that were started, dead ones too. */
  readonly workers: WorkerUnderTest[];
  /**
   * @param settings environment on top of the service's
   * @param root where it was built; by default here
   */
  startWorker(settings?: NodeJS.ProcessEnv, root?: string): Promise<WorkerUnderTest>;
  /** Connects a new person of the provider and subscribes to the primary calendar. */
  subscribe(providerType: OAuthProviderType, options?: { rateLimit?: number }): Promise<Subscribed>;
  /** Somebody adds an event, past the service. */
  change(calendar: Pick<Subscribed, 'providerType' | 'email' | 'calendarId'>, title: string): Promise<void>;
  /** `webhook-id`s of what was to be told, by the database. */
  announced(subscriptionId?: string): Promise<string[]>;
  stop(): Promise<void>;
}

let paths = 0;

/** @param settings environment of api and workers, e.g. `REDIS_URL` */
export async function startWebhookSystem(settings: NodeJS.ProcessEnv = {}): Promise<WebhookSystem> {
  const tls = selfSigned(['127.0.0.1']);
  const directory = await temporaryDirectory('told');
  const authority = join(directory.path, 'authority.pem');
  await writeFile(authority, tls.cert);
  const receiver = await WebhookReceiver.start({ tls });
  const end = async () => {
    await receiver.close();
    await directory.remove();
  };
  let fixture: OAuthFixture;
  try {
    fixture = await startOAuthFixture({
      EGRESS_ALLOW: receiver.egressAllow,
      NODE_EXTRA_CA_CERTS: authority,
      ...settings,
    });
  } catch (error) {
    await end();
    throw error;
  }
  const { service } = fixture;
  const workers: WorkerUnderTest[] = [];
  return {
    fixture,
    receiver,
    workers,
    async startWorker(more = {}, root) {
      const worker = await runWorker(service.env['DATABASE_URL']!, { ...service.env, ...more }, root);
      workers.push(worker);
      try {
        const isReady = async () => ((await worker.probe('ready')) === 200 ? true : undefined);
        await eventually('the worker is ready', isReady, { timeoutMs: 90_000 });
      } catch (error) {
        throw new Error(`the worker did not get ready: ${worker.stdout()}${worker.stderr()}`, { cause: error });
      }
      return worker;
    },
    async subscribe(providerType, { rateLimit } = {}) {
      const subject = fixture[providerType];
      const email = subject.someone();
      const { accountId, calendarId } = await subject.connected(email);
      const path = `/told-${(paths += 1)}`;
      const webhookUrl = receiver.endpoint(path);
      const response: Answer = await service.call('POST', `/v1/calendarSubscriptions/${accountId}`, {
        body: { calendarId, webhookUrl, ...(rateLimit === undefined ? {} : { rateLimit }) },
      });
      if (response.status >= 300)
        throw new Error(`cannot subscribe: ${response.status} ${JSON.stringify(response.body)}`);
      const { webhookSubscriptionId: subscriptionId, endpointSecret: secret } = response.body;
      return { providerType, email, accountId, calendarId, subscriptionId, secret, path };
    },
    async change({ providerType, email, calendarId }, title) {
      const subject = fixture[providerType];
      const at = { dateTime: '2026-12-01T10:00:00', timeZone: 'UTC' };
      const end = { dateTime: '2026-12-01T11:00:00', timeZone: 'UTC' };
      const { status } = await subject.half.act(
        providerType === 'GOOGLE'
          ? {
              ...{ email, methodId: subject.words.methods.insertEvent, path: { calendarId } },
              body: { summary: title, start: at, end },
            }
          : {
              ...{ email, methodId: subject.words.methods.insertEvent, path: { 'calendar-id': calendarId } },
              body: { subject: title, start: at, end },
            },
      );
      if (status !== subject.words.created) throw new Error(`the event was answered with ${status}`);
    },
    async announced(subscriptionId) {
      const rows = await fixture.GOOGLE.admin(
        'select id from webhook_message where $1::uuid is null or endpoint_id = $1::uuid order by id',
        [subscriptionId ?? null],
      );
      return rows.map(({ id }) => messageIdOf(id as string));
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
      await fixture.stop();
      await end();
    },
  };
}
