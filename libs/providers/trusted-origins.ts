import type { Config } from '#platform';

/** The configured URLs of the providers, for the egress of a process: it trusts their origins as configured. */
export function trustedOrigins(config: Config): string[] {
  return [
    config.googleApiUrl,
    config.googleOauthUrl,
    config.googleTokenUrl,
    config.microsoftGraphUrl,
    config.microsoftLoginUrl,
    config.appleCaldavUrl,
  ];
}
