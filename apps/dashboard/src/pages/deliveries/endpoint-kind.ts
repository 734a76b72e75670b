import type { EndpointKind } from '#operator-api';

/** What an endpoint is told of. */
export const KIND_NAMES: Record<EndpointKind, string> = {
  subscription: 'Changes of a calendar',
  application: 'Events of accounts',
};
