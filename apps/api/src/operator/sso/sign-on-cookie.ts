import { Inject, Injectable } from '@nestjs/common';
import { PUBLIC_URL } from '#application';
import { BrowserCookie } from '../../oauth/browser-cookie.js';

/** Of a browser that goes to the identity provider of the operators. */
@Injectable()
export class SignOnCookie extends BrowserCookie {
  constructor(@Inject(PUBLIC_URL) publicUrl: string) {
    super(publicUrl, 'uc_sign_on');
  }
}
