import { Injectable } from '@nestjs/common';
import { OperatorSettings } from '#application';
import { BrowserCookie } from '../../oauth/browser-cookie.js';

/** Of a browser that goes to the identity provider of the operators. */
@Injectable()
export class SignOnCookie extends BrowserCookie {
  constructor({ publicUrl }: OperatorSettings) {
    super(publicUrl, 'uc_sign_on');
  }
}
