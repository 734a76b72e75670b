import type * as Api from './operator-api.gen.js';
import { queryClient } from './query-client.js';

/** Query key of the session; its data are null without a session. */
export const SESSION_KEY = ['/session'] as const;

export function currentSession(): Api.Session | null | undefined {
  return queryClient.getQueryData<Api.Session | null>(SESSION_KEY);
}

/** Data that one operator has loaded must not reach the next one. */
export function beginSession(session: Api.Session): void {
  clearCachedResponses();
  queryClient.setQueryData<Api.Session | null>(SESSION_KEY, session);
}

export function renewSession(session: Api.Session): void {
  queryClient.setQueryData<Api.Session | null>(SESSION_KEY, session);
}

/** Pages that need a session then redirect to the sign-in. */
export function endSession(): void {
  if (currentSession() === null) return;
  queryClient.setQueryData<Api.Session | null>(SESSION_KEY, null);
  clearCachedResponses();
}

function clearCachedResponses(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
}
