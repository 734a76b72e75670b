import type { Config } from '#platform';

/** What the HTTP layer takes from the configuration. */
export type ApiSettings = Pick<Config, 'bodyLimit' | 'publicUrl' | 'rateLimitRps' | 'requestTimeoutMs' | 'trustProxy'> &
  Partial<Pick<Config, 'apiDocs' | 'redisUrl'>>;
