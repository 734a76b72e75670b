import { serviceRoot } from '#providers/kit/calls';

const VERSION = '/v1.0';

/** Root of Graph v1.0, without a slash at its end. @param graphUrl may end with slashes, or with the version */
export function graphRoot(graphUrl: string): string {
  return serviceRoot(graphUrl, VERSION) + VERSION;
}
