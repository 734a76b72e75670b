import type { Request, Response } from 'express';
import { isSecret, newSecret, SIGN_IN_LIFETIME_MS } from '#application';

/**
 * Tells the browser that began a sign-in from every other one (RFC 9700 §4.7). Tabs of one browser share it.
 * `SameSite=Lax`: the provider's redirect, a navigation from another site, has to bring it.
 */
export class BrowserCookie {
  private readonly isSecure: boolean;
  private readonly name: string;

  /** `publicUrl`: under which browsers reach this service. */
  constructor(publicUrl: string) {
    this.isSecure = publicUrl.startsWith('https:');
    // With this prefix browsers take it from this very host only (RFC 6265bis §4.1.3.2), and over https only.
    this.name = this.isSecure ? '__Host-uc_oauth' : 'uc_oauth';
  }

  /** The browser's secret; null when it has none, or not exactly one. */
  read({ headers }: Request): string | null {
    const prefix = `${this.name}=`;
    const [secret, ...others] = (headers.cookie ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix))
      .map((pair) => pair.slice(prefix.length));
    return secret !== undefined && others.length === 0 && isSecret(secret) ? secret : null;
  }

  /** The browser's secret; a new one when it has none. */
  readOrMake(request: Request): string {
    return this.read(request) ?? newSecret();
  }

  /** Lets the browser keep its secret for as long as a sign-in that begins now may take. */
  write(response: Response, secret: string): void {
    response.cookie(this.name, secret, {
      httpOnly: true,
      maxAge: SIGN_IN_LIFETIME_MS,
      path: '/',
      sameSite: 'lax',
      secure: this.isSecure,
    });
  }
}
