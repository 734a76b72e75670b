import { PROVIDER_TYPES, type ProviderType } from '#domain';

/**
 * Where providers send browsers back to: `{public URL}/api/v1/oauth/callback/google`. The very same text is registered
 * with the provider (RFC 6749 §3.1.2.3).
 */
export class CallbackAddress {
  private readonly root: string;

  /** `publicUrl`: under which browsers reach this service, without `/api`. */
  constructor(publicUrl: string) {
    this.root = `${publicUrl.replace(/\/+$/, '')}/api/v1/oauth/callback/`;
  }

  of(providerType: ProviderType): string {
    return this.root + providerType.toLowerCase();
  }
}

/** The provider that a segment of a path names, in lower case; undefined: none. */
export function providerOfPath(segment: string): ProviderType | undefined {
  return PROVIDER_TYPES.find((providerType) => providerType.toLowerCase() === segment);
}
