import type * as Api from './operator-api.gen.js';
import { queryClient } from './query-client.js';

/** Where the session is kept among all that was read. `null`: there is none. */
export const SESSION_KEY = ['/session'] as const;

export function currentSession(): Api.Session | null | undefined {
  return queryClient.getQueryData<Api.Session | null>(SESSION_KEY);
}

/** What one operator was shown is nothing for the next one. */
export function beginSession(session: Api.Session): void {
  forgetAnswers();
  queryClient.setQueryData<Api.Session | null>(SESSION_KEY, session);
}

/** The same session with something new about it. */
export function renewSession(session: Api.Session): void {
  queryClient.setQueryData<Api.Session | null>(SESSION_KEY, session);
}

/** Whoever is on a page that needs a session is led to the sign-in by it. */
export function endSession(): void {
  if (currentSession() === null) return;
  queryClient.setQueryData<Api.Session | null>(SESSION_KEY, null);
  forgetAnswers();
}

function forgetAnswers(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
}
