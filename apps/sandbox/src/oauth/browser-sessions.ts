import { randomBytes } from 'node:crypto';
import { cookie, type HttpRequest } from '../http/message.js';

/** Who is signed in, browser by browser. */
export class BrowserSessions<User> {
  readonly #users = new Map<string, Set<User>>();

  /** @param cookieName cookies know no ports: two providers on one host need two names */
  constructor(private readonly cookieName: string) {}

  /** In the order of signing in. */
  usersOf(request: HttpRequest): User[] {
    return [...(this.#users.get(this.#id(request)) ?? [])];
  }

  /** @returns value of the Set-Cookie header */
  signIn(request: HttpRequest, user: User): string {
    const known = this.#id(request);
    const id = this.#users.has(known) ? known : randomBytes(24).toString('base64url');
    this.#users.set(id, (this.#users.get(id) ?? new Set()).add(user));
    return `${this.cookieName}=${id}; Path=/; HttpOnly; SameSite=Lax`;
  }

  /** Everywhere. */
  signOut(user: User): void {
    for (const users of this.#users.values()) users.delete(user);
  }

  clear(): void {
    this.#users.clear();
  }

  #id(request: HttpRequest): string {
    return cookie(request, this.cookieName) ?? '';
  }
}
