// What operators may do to a service under test, for whoever forked this: one start for any number of commands.
import { withOperatorServices } from '../../dist/apps/ops/src/operator-services.js';
import { answerCalls } from './answer-calls.mjs';

const { DATABASE_URL: databaseUrl, ENCRYPTION_KEYS: encryptionKeys } = process.env;
await withOperatorServices({ databaseUrl, encryptionKeys }, (services) =>
  answerCalls(({ service, method, argument }) => services[service][method](argument)),
);
