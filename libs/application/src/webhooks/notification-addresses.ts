import { Inject, Injectable } from '@nestjs/common';
import type { ChannelRequest, ProviderType } from '#domain';
import { PUBLIC_URL } from '../settings.js';

/** Where providers push to: `{public URL}/api/v1/providers/google/notifications`. */
@Injectable()
export class NotificationAddresses {
  private readonly root: string;

  constructor(@Inject(PUBLIC_URL) publicUrl: string) {
    this.root = `${publicUrl.replace(/\/+$/, '')}/api/v1/providers/`;
  }

  of(providerType: ProviderType): Pick<ChannelRequest, 'notificationUrl' | 'lifecycleUrl'> {
    const provider = this.root + providerType.toLowerCase();
    return { notificationUrl: `${provider}/notifications`, lifecycleUrl: `${provider}/lifecycle` };
  }
}
