import { migrateQueueSchema } from '#jobs';
import { migrate, SchemaMismatch, verifySchema } from '#persistence';
import { withOperatorServices } from '../../ops/src/operator-services.js';

export interface DemoKey {
  applicationId: string;
  name: string;
  /** Its text; stored nowhere. */
  apiKey: string;
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
 * Gives an empty installation an application with a key to begin with.
 * @returns null when there was something already
 */
export async function ensureDemoKey(databaseUrl: string, encryptionKeys: string): Promise<DemoKey | null> {
  return withOperatorServices({ databaseUrl, encryptionKeys }, async ({ applications, apiKeys }) => {
    const known = await applications.list();
    const [only] = known;
    // A first start that was cut off between the two left the application without a key that anybody has seen.
    const isUnfinished =
      known.length === 1 && only?.name === DEMO_APPLICATION && (await apiKeys.list(only.applicationId)).length === 0;
    if (known.length > 0 && !isUnfinished) return null;
    const { applicationId, name } = only ?? (await applications.create({ name: DEMO_APPLICATION }));
    const { apiKey } = await apiKeys.create({ applicationId, name: 'first start', expires: 'never' });
    return { applicationId, name, apiKey };
  });
}
