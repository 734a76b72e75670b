import type { Config } from '#platform';

export type ApiSettings = Pick<
  Config,
  'bodyLimitBytes' | 'publicUrl' | 'rateLimitRps' | 'requestTimeoutMs' | 'trustProxy'
> &
  Partial<Pick<Config, 'apiDocs' | 'operatorUrl' | 'redisUrl'>>;
