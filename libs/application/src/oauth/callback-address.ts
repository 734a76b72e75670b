import { Inject, Injectable } from '@nestjs/common';
import type { ProviderType } from '#domain';
import { PUBLIC_URL } from '../settings.js';

/** Where browsers meet this service on their way to a provider and back. */
@Injectable()
export class CallbackAddress {
  private readonly root: string;

  constructor(@Inject(PUBLIC_URL) publicUrl: string) {
    this.root = `${publicUrl.replace(/\/+$/, '')}/api/v1/oauth`;
  }

  /**
   * Where a provider sends them back to: `{public URL}/api/v1/oauth/callback/google`. The very same text is registered
   * with the provider (RFC 6749 §3.1.2.3).
   */
  of(providerType: ProviderType): string {
    return `${this.root}/callback/${providerType.toLowerCase()}`;
  }

  /** Where a sign-in begins that an application has prepared. */
  ofPrepared(applicationId: string, providerType: ProviderType, secret: string): string {
    return `${this.root}/authorize/${applicationId}/${providerType.toLowerCase()}?request=${secret}`;
  }
}
