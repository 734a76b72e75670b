import type { ChannelRequest, ProviderType } from '#domain';

/** Where providers push to: `{public URL}/api/v1/providers/google/notifications`. */
export class NotificationAddresses {
  private readonly root: string;

  /** `publicUrl`: under which providers reach this service, without `/api`. */
  constructor(publicUrl: string) {
    this.root = `${publicUrl.replace(/\/+$/, '')}/api/v1/providers/`;
  }

  of(providerType: ProviderType): Pick<ChannelRequest, 'notificationUrl' | 'lifecycleUrl'> {
    const provider = this.root + providerType.toLowerCase();
    return { notificationUrl: `${provider}/notifications`, lifecycleUrl: `${provider}/lifecycle` };
  }
}
