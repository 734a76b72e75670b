import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isSecret, newSecret, SIGN_IN_LIFETIME_MS } from '#application/oauth';
import { PUBLIC_URL } from '#application/system';
import { oneCookie } from '../http/request-headers.js';

/** Binds a sign-in to its browser (RFC 9700 §4.7). `Lax`: the redirect of the provider is a cross-site navigation. */
@Injectable()
export class BrowserCookie {
  private readonly isSecure: boolean;
  private readonly name: string;

  /** @param purpose separates the sign-ins of different purposes */
  constructor(@Inject(PUBLIC_URL) publicUrl: string, @Optional() purpose: string = 'uc_oauth') {
    this.isSecure = publicUrl.startsWith('https:');
    // The prefix restricts the cookie to this host and to https (RFC 6265bis §4.1.3.2).
    this.name = this.isSecure ? `__Host-${purpose}` : purpose;
  }

  /** Returns null without exactly one valid secret. */
  read(request: Request): string | null {
    const secret = oneCookie(request, this.name);
    return secret !== null && isSecret(secret) ? secret : null;
  }

  readOrMake(request: Request): string {
    return this.read(request) ?? newSecret();
  }

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
