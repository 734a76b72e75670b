// What operators may do to services under test, over HTTP on loopback: one start for any number of services and commands.
// Says its address in its first line. POST /: { databaseUrl, encryptionKeys, service, method, argument } is answered with
// { answer } or { error }. DELETE /: { databaseUrl } closes what is open for a database.
import { createServer } from 'node:http';

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

async function answer(method, { databaseUrl, encryptionKeys, ...call }) {
  if (method === 'POST') {
    const services = await servicesOf(databaseUrl, encryptionKeys);
    return services[call.service][call.method](call.argument);
  }
  const entry = open.get(databaseUrl);
  open.delete(databaseUrl);
  await entry?.close();
  return null;
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const reply = await answer(request.method, JSON.parse(Buffer.concat(chunks).toString('utf8'))).then(
    (value) => ({ answer: value }),
    (error) => ({ error: error.message }),
  );
  response.setHeader('content-type', 'application/json').end(JSON.stringify(reply));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
