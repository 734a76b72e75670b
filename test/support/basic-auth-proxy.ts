import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { basicAuthorization, type CalDavLogin } from './caldav-server.js';

/**
 * A reverse proxy on loopback that lets nobody through without the right Basic credentials, for servers that have no
 * authentication of their own. Method, path, Host header, body and answer pass unchanged (RFC 9110 §7.6.1 hop-by-hop
 * headers and the credentials do not).
 */
export async function startBasicAuthProxy(
  upstreamPort: number,
  login: CalDavLogin,
): Promise<{ port: number; stop(): Promise<void> }> {
  const expected = basicAuthorization(login);
  const server: Server = createServer((request, response) => {
    if (request.headers.authorization !== expected) {
      request.resume();
      response.writeHead(401, { 'www-authenticate': 'Basic realm="calendars", charset="UTF-8"' }).end();
      return;
    }
    const { authorization: _authorization, connection: _connection, ...headers } = request.headers;
    const upstream = httpRequest(
      { host: '127.0.0.1', port: upstreamPort, method: request.method, path: request.url, headers },
      (answer) => {
        const { connection: _hop, 'keep-alive': _keepAlive, ...responseHeaders } = answer.headers;
        response.writeHead(answer.statusCode ?? 502, responseHeaders);
        answer.pipe(response);
      },
    );
    upstream.on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
