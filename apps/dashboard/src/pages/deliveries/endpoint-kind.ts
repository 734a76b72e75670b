import type { Api } from '../../api/index.js';

export const KIND_NAMES: Record<Api.EndpointKind, string> = {
  subscription: 'Changes of a calendar',
  application: 'Events of accounts',
};
