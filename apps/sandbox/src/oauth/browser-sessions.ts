import { randomBytes } from 'node:crypto';
import { cookie, type HttpRequest } from '../http/message.js';

/** Signed-in users per browser. */
export class BrowserSessions<User> {
  readonly #users = new Map<string, Set<User>>();

  /** @param cookieName unique per provider, because cookies ignore ports */
  constructor(private readonly cookieName: string) {}

  /** In order of sign-in. */
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
