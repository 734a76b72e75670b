// What operators may do to a service under test, for whoever forked this: one start for any number of commands.
import { join } from 'node:path';
import { answerCalls } from './answer-calls.mjs';

// Of the build that this was started in.
const { withOperatorServices } = await import(join(process.cwd(), 'dist/apps/ops/src/operator-services.js'));

const { DATABASE_URL: databaseUrl, ENCRYPTION_KEYS: encryptionKeys } = process.env;
await withOperatorServices({ databaseUrl, encryptionKeys }, (services) =>
  answerCalls(({ service, method, argument }) => services[service][method](argument)),
);
