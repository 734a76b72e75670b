export { ApiError } from './api-error.js';
export type * as Api from './operator-api.gen.js';
export { api, segment, type Query } from './client.js';
export {
  finishReauthentication,
  onReauthenticated,
  announceReauthenticated,
  useReauthentication,
} from './reauthentication.js';
export { queryClient } from './query-client.js';
export { beginSession, currentSession, endSession, renewSession, SESSION_KEY } from './session-query.js';
export { useApi, useChange, type UseApiOptions, type UseChangeOptions } from './use-api.js';
