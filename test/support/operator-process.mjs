// What operators may do to a service under test, for whoever forked this: one start for any number of commands.
import { withOperatorServices } from '../../dist/apps/ops/src/operator-services.js';

const { DATABASE_URL: databaseUrl, ENCRYPTION_KEYS: encryptionKeys } = process.env;
await withOperatorServices({ databaseUrl, encryptionKeys }, async (services) => {
  const disconnected = new Promise((resolve) => process.once('disconnect', resolve));
  process.on('message', async ({ id, service, method, argument }) => {
    try {
      process.send({ id, answer: await services[service][method](argument) });
    } catch (error) {
      process.send({ id, error: error.message });
    }
  });
  process.send('ready');
  await disconnected;
});
