// What operators may do to services under test: one start for any number of services and commands.
// POST /: { databaseUrl, encryptionKeys, service, method, argument } is answered with what the method gives.
// DELETE /: { databaseUrl } closes what is open for a database.
import { answerCalls } from './answer-calls.mjs';

// Of the build that the suites are run on.
const { withOperatorServices } = await import(process.env.OPERATOR_SERVICES);

/** By database. */
const open = new Map();

function servicesOf(databaseUrl, encryptionKeys) {
  let entry = open.get(databaseUrl);
  if (entry === undefined) {
    const { promise: closed, resolve: close } = Promise.withResolvers();
    const { promise: services, resolve, reject } = Promise.withResolvers();
    const ended = withOperatorServices({ databaseUrl, encryptionKeys }, (opened) => {
      resolve(opened);
      return closed;
    });
    ended.catch(reject);
    entry = { services, close: () => (close(), ended) };
    open.set(databaseUrl, entry);
  }
  return entry.services;
}

answerCalls(async (method, { databaseUrl, encryptionKeys, ...call }) => {
  if (method === 'POST') {
    const services = await servicesOf(databaseUrl, encryptionKeys);
    return services[call.service][call.method](call.argument);
  }
  const entry = open.get(databaseUrl);
  open.delete(databaseUrl);
  await entry?.close();
  return null;
});
