import type { HttpRequest } from './http/message.js';

/** An OAuth endpoint, a page of the sign-in, or a method of the provider's API. */
export const REQUEST_KINDS = [
  'authorize',
  'page',
  'admin-consent',
  'token',
  'revoke',
  'tokeninfo',
  'userinfo',
  'certs',
  'discovery',
  'api',
  'unknown',
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** A call that a correct client never makes. */
export interface Violation {
  /** ISO instant of the sandbox's clock. */
  at: string;
  /** null for a request outside the API. */
  methodId: string | null;
  message: string;
  /** Method, path and query without secrets. */
  request: string;
}

/** A request without body and secrets. */
export interface JournalEntry {
  at: string;
  kind: RequestKind;
  methodId: string | null;
  method: string;
  path: string;
  query: string;
  /** Email of the user of the token, code or session. */
  user: string | null;
  /** null without a response (yet). */
  status: number | null;
}

const KEPT = 10_000;
const SECRET_PARAMETERS: ReadonlySet<string> = new Set([
  'token',
  'access_token',
  'refresh_token',
  'id_token',
  'oauth_token',
  'client_secret',
  'code',
  'code_verifier',
]);

/** Requests and violations of a provider; keeps the newest 10,000 of each. */
export class Journal {
  #violations: Violation[] = [];
  #requests: JournalEntry[] = [];

  constructor(private readonly clock: { nowMs(): number }) {}

  get violations(): readonly Violation[] {
    return this.#violations;
  }

  get requests(): readonly JournalEntry[] {
    return this.#requests;
  }

  violation(request: HttpRequest, methodId: string | null, message: string): void {
    const query = withoutSecrets(request.query);
    push(this.#violations, {
      at: this.#now(),
      methodId,
      message,
      request: `${request.method} ${request.path}${query === '' ? '' : `?${query}`}`,
    });
  }

  /** @returns the entry; its status follows later */
  request({ method, path, query }: HttpRequest, about: Pick<JournalEntry, 'kind' | 'methodId' | 'user'>): JournalEntry {
    const entry = { at: this.#now(), ...about, method, path, query: withoutSecrets(query), status: null };
    push(this.#requests, entry);
    return entry;
  }

  clearViolations(): void {
    this.#violations = [];
  }

  clearRequests(): void {
    this.#requests = [];
  }

  clear(): void {
    this.clearViolations();
    this.clearRequests();
  }

  #now(): string {
    return new Date(this.clock.nowMs()).toISOString();
  }
}

function push<T>(list: T[], entry: T): void {
  list.push(entry);
  if (list.length > KEPT) list.shift();
}

function withoutSecrets(query: URLSearchParams): string {
  return new URLSearchParams(
    [...query].map(([name, value]) => [name, SECRET_PARAMETERS.has(name) ? 'redacted' : value]),
  ).toString();
}
