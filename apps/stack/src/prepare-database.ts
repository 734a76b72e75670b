import { migrateQueueSchema } from '#jobs';
import { migrate, SchemaMismatch, verifySchema } from '#persistence';
import {
  withOperatorServices,
  type OperatorConnection,
  type OperatorServices,
} from '../../ops/src/operator-services.js';
import { DEMO_CLIENTS } from '../../sandbox/src/demo-clients.js';

export interface Demo {
  applicationId: string;
  name: string;
  /** Text of a key created just now, stored nowhere; null when an earlier start showed it. */
  apiKey: string | null;
}

const DEMO_APPLICATION = 'demo';
/** Page of the sandbox that plays the demo application. Its port differs between starts. */
const DEMO_PAGE = /^http:\/\/localhost:\d+\/connected$/;

/**
 * The check costs one query; a migration loads the whole mapper.
 * @throws SchemaMismatch when the database is newer than this build
 */
export async function bringUpToDate(databaseUrl: string): Promise<void> {
  try {
    await verifySchema(databaseUrl, 10_000);
  } catch (error) {
    if (!(error instanceof SchemaMismatch) || error.kind === 'newer') throw error;
    await migrate(databaseUrl);
  }
  await migrateQueueSchema(databaseUrl);
}

/**
 * Fills an empty installation. Returns null when an operator has created applications.
 * @param redirectUrl of the demo application; null without a sandbox
 */
export async function ensureDemo(connection: OperatorConnection, redirectUrl: string | null): Promise<Demo | null> {
  return withOperatorServices(connection, async (services) => {
    const known = await services.applications.list();
    const demo = known.find(({ name }) => name === DEMO_APPLICATION);
    if (demo === undefined && known.length > 0) return null;
    const { applicationId, name } = demo ?? (await services.applications.create({ name: DEMO_APPLICATION }));
    if (redirectUrl !== null) await ensureSignIn(services, applicationId, redirectUrl);
    // A first start that was interrupted here left the application without a key.
    const hasKey = demo !== undefined && (await services.apiKeys.list(applicationId)).length > 0;
    if (hasKey) return { applicationId, name, apiKey: null };
    const { apiKey } = await services.apiKeys.create({ applicationId, name: 'first start', expires: 'never' });
    return { applicationId, name, apiKey };
  });
}

/** Leaves existing clients as they are. The port of the redirect URL changes between starts. */
async function ensureSignIn(
  { oauthClients, redirectUrls }: OperatorServices,
  applicationId: string,
  redirectUrl: string,
): Promise<void> {
  const known = (await oauthClients.list(applicationId)).map(({ providerType }) => providerType);
  for (const [slug, client] of Object.entries(DEMO_CLIENTS)) {
    const providerType = slug.toUpperCase();
    if (!known.includes(providerType)) await oauthClients.set({ applicationId, providerType, ...client });
  }
  const urls = (await redirectUrls.list(applicationId)).map(({ url }) => url);
  const [first] = urls;
  // Users return to the first redirect URL: it is the page of the sandbox unless an operator changed it.
  if (first !== undefined && first !== redirectUrl && DEMO_PAGE.test(first)) {
    await redirectUrls.move(applicationId, first, redirectUrl);
  } else if (!urls.includes(redirectUrl)) {
    await redirectUrls.add(applicationId, redirectUrl);
  }
}
