import { Command, Option } from 'nest-commander';
import { operate } from './connection.js';
import type { OperatorServices } from './operator-services.js';
import { ReportingCommand } from './ops-command.js';
import { print, UsageError } from './output.js';

interface DemoClient {
  providerType: string;
  clientId: string;
  clientSecret: string;
}

interface DemoOptions {
  redirectUrl?: string;
  oauthClient?: DemoClient[];
  json?: boolean;
}

const DEMO_APPLICATION = 'demo';
/** Page of the sandbox that plays the demo application. Its port differs between starts. */
const DEMO_PAGE = /^http:\/\/localhost:\d+\/connected$/;

@Command({
  name: 'demo',
  description: 'Create the application "demo" with an API key, unless there are other applications (`npm start`).',
})
export class DemoCommand extends ReportingCommand {
  override async run(_: string[], { redirectUrl, oauthClient = [], ...options }: DemoOptions): Promise<void> {
    const demo = await operate(async (services) => {
      const known = await services.applications.list();
      const existing = known.find(({ name }) => name === DEMO_APPLICATION);
      if (existing === undefined && known.length > 0) return null;
      const { applicationId, name } = existing ?? (await services.applications.create({ name: DEMO_APPLICATION }));
      await ensureClients(services, applicationId, oauthClient);
      if (redirectUrl !== undefined) await ensureRedirectUrl(services, applicationId, redirectUrl);
      // A first start that was interrupted here left the application without a key.
      const hasKey = existing !== undefined && (await services.apiKeys.list(applicationId)).length > 0;
      if (hasKey) return { applicationId, name, apiKey: null };
      const { apiKey } = await services.apiKeys.create({ applicationId, name: 'first start', expires: 'never' });
      return { applicationId, name, apiKey };
    });
    print({ demo }, options, () =>
      demo === null
        ? 'Other applications exist: no demo application was created.'
        : `Application ${demo.applicationId} (${demo.name}). API key: ${demo.apiKey ?? 'created earlier'}.`,
    );
  }

  @Option({ flags: '--redirect-url <url>', description: 'Where users of the application return to after sign-in.' })
  redirectUrl(value: string): string {
    return value;
  }

  @Option({
    flags: '--oauth-client <client>',
    description: '<provider type>:<client id>:<client secret>, set unless the application has one. Repeatable.',
  })
  oauthClient(value: string, earlier: DemoClient[] = []): DemoClient[] {
    const [, providerType, clientId, clientSecret] = /^(\w+):([^:]+):(.+)$/.exec(value) ?? [];
    if (providerType === undefined || clientId === undefined || clientSecret === undefined) {
      throw new UsageError('--oauth-client must be <provider type>:<client id>:<client secret>');
    }
    return [...earlier, { providerType, clientId, clientSecret }];
  }
}

async function ensureClients(
  { oauthClients }: OperatorServices,
  applicationId: string,
  clients: DemoClient[],
): Promise<void> {
  const known = (await oauthClients.list(applicationId)).map(({ providerType }) => providerType);
  for (const client of clients) {
    if (!known.includes(client.providerType)) await oauthClients.set({ applicationId, ...client });
  }
}

/** Users return to the first redirect URL: the page of the sandbox, unless an operator changed it. */
async function ensureRedirectUrl(
  { redirectUrls }: OperatorServices,
  applicationId: string,
  redirectUrl: string,
): Promise<void> {
  const urls = (await redirectUrls.list(applicationId)).map(({ url }) => url);
  const [first] = urls;
  if (first !== undefined && first !== redirectUrl && DEMO_PAGE.test(first)) {
    await redirectUrls.move(applicationId, first, redirectUrl);
  } else if (!urls.includes(redirectUrl)) {
    await redirectUrls.add(applicationId, redirectUrl);
  }
}
