import type { Config } from '#platform';

export type ApiSettings = Pick<Config, 'bodyLimit' | 'publicUrl' | 'rateLimitRps' | 'requestTimeoutMs' | 'trustProxy'> &
  Partial<Pick<Config, 'apiDocs' | 'redisUrl'>>;
