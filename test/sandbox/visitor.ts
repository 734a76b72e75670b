import { createHash, randomBytes } from 'node:crypto';

/** A page, or the redirect that leads out of the sandbox. */
export interface Visit {
  status: number;
  headers: Headers;
  body: string;
  /** Where the browser is now. */
  url: URL;
}

/** Follows redirects within the sandbox, keeps its cookies and fills in its forms, as a browser without a screen. */
export class Visitor {
  #cookies = '';

  /** @param origin of a provider of the sandbox */
  constructor(private readonly origin: string) {}

  async open(url: string): Promise<Visit> {
    return this.#visit(url, { method: 'GET' });
  }

  async chooseAccount(page: Visit, email: string): Promise<Visit> {
    return this.#submit(page, '/signin/account', { email });
  }

  /** @param unticked short names of scopes, e.g. `calendar.events` */
  async allow(page: Visit, unticked: string[] = []): Promise<Visit> {
    const ticked = boxes(page).filter((scope) => !unticked.some((name) => scope.endsWith(`/${name}`)));
    return this.#submit(page, '/signin/consent', { decision: 'allow' }, ticked);
  }

  async cancel(page: Visit): Promise<Visit> {
    return this.#submit(page, '/signin/consent', { decision: 'cancel' });
  }

  /** Back from the page that asks for an administrator's approval. */
  async giveUp(page: Visit): Promise<Visit> {
    return this.#submit(page, '/signin/approval', {});
  }

  /** Gives up at the page that says that an administrator has to consent. */
  async returnWithout(page: Visit): Promise<Visit> {
    return this.#submit(page, '/signin/approval', {});
  }

  /** All the way: choice of the account, consent where it is asked for, back to the client. */
  async signIn(url: string, email: string): Promise<Visit> {
    let page = await this.open(url);
    if (page.body.includes('/signin/account')) page = await this.chooseAccount(page, email);
    return page.body.includes('/signin/consent') ? this.allow(page) : page;
  }

  async #submit(page: Visit, action: string, fields: Record<string, string>, scopes: string[] = []): Promise<Visit> {
    const interaction = /name="interaction" value="([\w-]+)"/.exec(page.body)?.[1];
    if (interaction === undefined) throw new Error(`no form at ${page.url.href}: ${page.body}`);
    const body = new URLSearchParams({ interaction, ...fields });
    for (const scope of scopes) body.append('scope', scope);
    return this.#visit(`${this.origin}${action}`, { method: 'POST', body });
  }

  async #visit(url: string, init: RequestInit): Promise<Visit> {
    const response = await fetch(url, { ...init, headers: { cookie: this.#cookies }, redirect: 'manual' });
    const setCookie = response.headers.get('set-cookie');
    if (setCookie !== null) this.#cookies = setCookie.split(';', 1)[0] ?? '';
    const body = await response.text();
    const location = response.headers.get('location');
    const target = new URL(location ?? url, url);
    if (location !== null && target.origin === this.origin) return this.#visit(target.href, { method: 'GET' });
    return { status: response.status, headers: response.headers, body, url: target };
  }
}

/** Scopes that have a checkbox. */
export function boxes({ body }: Visit): string[] {
  return [...body.matchAll(/type="checkbox"[^>]*value="([^"]+)"/g)].map(([, scope = '']) => scope);
}

/** RFC 7636 §4 */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}
