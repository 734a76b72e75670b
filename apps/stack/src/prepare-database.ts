import { migrateQueueSchema } from '#jobs';
import { migrate, SchemaMismatch, verifySchema } from '#persistence';
import {
  withOperatorServices,
  type OperatorConnection,
  type OperatorServices,
} from '../../ops/src/operator-services.js';

export interface Demo {
  applicationId: string;
  name: string;
  /** Text of the key that was made just now; stored nowhere. null: it was shown at an earlier start. */
  apiKey: string | null;
}

/** What the demo application signs its users in with. */
export interface DemoSignIn {
  clientId: string;
  clientSecret: string;
  redirectUrl: string;
}

const DEMO_APPLICATION = 'demo';

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
 * @param signIn null: there is no sandbox to sign in at
 * @returns null when applications were made by hand
 */
export async function ensureDemo(connection: OperatorConnection, signIn: DemoSignIn | null): Promise<Demo | null> {
  return withOperatorServices(connection, async (services) => {
    const known = await services.applications.list();
    const demo = known.find(({ name }) => name === DEMO_APPLICATION);
    if (demo === undefined && known.length > 0) return null;
    const { applicationId, name } = demo ?? (await services.applications.create({ name: DEMO_APPLICATION }));
    if (signIn !== null) await ensureSignIn(services, applicationId, signIn);
    // A first start that was cut off between the two left the application without a key that anybody has seen.
    const hasKey = demo !== undefined && (await services.apiKeys.list(applicationId)).length > 0;
    if (hasKey) return { applicationId, name, apiKey: null };
    const { apiKey } = await services.apiKeys.create({ applicationId, name: 'first start', expires: 'never' });
    return { applicationId, name, apiKey };
  });
}

/** The client is made once; whoever changed it keeps what they made of it. The page may have moved to another port. */
async function ensureSignIn(
  { oauthClients, redirectUrls }: OperatorServices,
  applicationId: string,
  { clientId, clientSecret, redirectUrl }: DemoSignIn,
): Promise<void> {
  const clients = await oauthClients.list(applicationId);
  if (!clients.some(({ providerType }) => providerType === 'GOOGLE')) {
    await oauthClients.set({ applicationId, providerType: 'GOOGLE', clientId, clientSecret });
  }
  const urls = await redirectUrls.list(applicationId);
  if (!urls.some(({ url }) => url === redirectUrl)) await redirectUrls.add(applicationId, redirectUrl);
}
