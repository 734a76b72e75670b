import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isSecret, newSecret, PUBLIC_URL, SIGN_IN_LIFETIME_MS } from '#application';
import { oneCookie } from '../http/one-cookie.js';

/**
 * Tells the browser that began a sign-in from every other one (RFC 9700 §4.7). Tabs of one browser share it.
 * `SameSite=Lax`: the provider's redirect, a navigation from another site, has to bring it.
 */
@Injectable()
export class BrowserCookie {
  private readonly isSecure: boolean;
  private readonly name: string;

  /**
   * @param purpose sign-ins for different purposes share nothing
   */
  constructor(@Inject(PUBLIC_URL) publicUrl: string, @Optional() purpose: string = 'uc_oauth') {
    this.isSecure = publicUrl.startsWith('https:');
    // With this prefix browsers take it from this very host only (RFC 6265bis §4.1.3.2), and over https only.
    this.name = this.isSecure ? `__Host-${purpose}` : purpose;
  }

  /** The browser's secret; null when it has none, or not exactly one. */
  read(request: Request): string | null {
    const secret = oneCookie(request, this.name);
    return secret !== null && isSecret(secret) ? secret : null;
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
