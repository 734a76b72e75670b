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
  /** Text of the key that was made just now; stored nowhere. null: it was shown at an earlier start. */
  apiKey: string | null;
}

const DEMO_APPLICATION = 'demo';
/** The page of the sandbox that stands for the demo application, on whatever port a start found for it. */
const DEMO_PAGE = /^http:\/\/localhost:\d+\/connected$/;

/**
 * Brings the schema up to date. Looking whether it is costs a query; migrating loads the whole mapper.
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
 * Gives an empty installation an application to begin with, a key of it, and what its users need to sign in.
 * @param redirectUrl where users come back to who signed in at the sandbox; null: there is none
 * @returns null when applications were made by hand
 */
export async function ensureDemo(connection: OperatorConnection, redirectUrl: string | null): Promise<Demo | null> {
  return withOperatorServices(connection, async (services) => {
    const known = await services.applications.list();
    const demo = known.find(({ name }) => name === DEMO_APPLICATION);
    if (demo === undefined && known.length > 0) return null;
    const { applicationId, name } = demo ?? (await services.applications.create({ name: DEMO_APPLICATION }));
    if (redirectUrl !== null) await ensureSignIn(services, applicationId, redirectUrl);
    // A first start that was cut off between the two left the application without a key that anybody has seen.
    const hasKey = demo !== undefined && (await services.apiKeys.list(applicationId)).length > 0;
    if (hasKey) return { applicationId, name, apiKey: null };
    const { apiKey } = await services.apiKeys.create({ applicationId, name: 'first start', expires: 'never' });
    return { applicationId, name, apiKey };
  });
}

/** A client is made once; whoever changed it keeps what they made of it. The page may have moved to another port. */
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
  // The first one is where users come back to; it is ours unless somebody took it away.
  if (first !== undefined && first !== redirectUrl && DEMO_PAGE.test(first)) {
    await redirectUrls.move(applicationId, first, redirectUrl);
  } else if (!urls.includes(redirectUrl)) {
    await redirectUrls.add(applicationId, redirectUrl);
  }
}
