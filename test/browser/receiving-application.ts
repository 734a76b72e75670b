import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The application, as a browser sees it: a page that leads to the sign-in, and one to come back to. */
export interface ReceivingApplication {
  readonly origin: string;
  readonly redirectUrl: string;
  /** A page with a link to `target`. */
  pageWithLinkTo(target: string): string;
  close(): Promise<void>;
}

/** At `localhost`, which is another site than the service's `127.0.0.1`: what is not for other sites stays there. */
export async function startReceivingApplication(): Promise<ReceivingApplication> {
  const server = createServer(({ url = '/' }, response) => {
    const target = new URL(url, 'http://localhost').searchParams.get('target');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Application</title>` +
        (target === null ? '<h1>Back in the application</h1>' : `<a href="${attribute(target)}">Connect</a>`),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    redirectUrl: `${origin}/connected`,
    pageWithLinkTo: (target) => `${origin}/?${new URLSearchParams({ target }).toString()}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
