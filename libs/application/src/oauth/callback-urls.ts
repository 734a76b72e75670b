import { Inject, Injectable } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import { PUBLIC_URL } from '../system/settings.js';

@Injectable()
export class CallbackUrls {
  private readonly root: string;

  constructor(@Inject(PUBLIC_URL) publicUrl: string) {
    this.root = `${publicUrl.replace(/\/+$/, '')}/api/v1`;
  }

  /** Registered at the provider as exactly this text (RFC 6749 §3.1.2.3). */
  of(providerType: ProviderType): string {
    return `${this.root}/oauth/callback/${providerType.toLowerCase()}`;
  }

  ofPrepared(applicationId: string, providerType: ProviderType, secret: string): string {
    return `${this.root}/oauth/authorize/${applicationId}/${providerType.toLowerCase()}?request=${secret}`;
  }

  ofConnectLink(secret: string): string {
    return `${this.root}/connect?link=${secret}`;
  }
}
