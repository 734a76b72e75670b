import { randomBytes } from 'node:crypto';
import { cookie, type HttpRequest } from '../../http/message.js';
import type { GoogleUser } from '../contract.js';

const COOKIE = 'google_session';

/** Who is signed in, browser by browser. */
export class BrowserSessions {
  readonly #users = new Map<string, Set<GoogleUser>>();

  /** In the order of signing in. */
  usersOf(request: HttpRequest): GoogleUser[] {
    return [...(this.#users.get(cookie(request, COOKIE) ?? '') ?? [])];
  }

  /** @returns value of the Set-Cookie header */
  signIn(request: HttpRequest, user: GoogleUser): string {
    const known = cookie(request, COOKIE);
    const id = known !== undefined && this.#users.has(known) ? known : randomBytes(24).toString('base64url');
    this.#users.set(id, (this.#users.get(id) ?? new Set()).add(user));
    return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax`;
  }

  /** Everywhere. */
  signOut(user: GoogleUser): void {
    for (const users of this.#users.values()) users.delete(user);
  }

  clear(): void {
    this.#users.clear();
  }
}
