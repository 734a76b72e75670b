import type { SessionView } from '#operator-api';
import { queryClient } from './query-client.js';

/** Where the session is kept among all that was read. `null`: there is none. */
export const SESSION_KEY = ['/session'] as const;

export function currentSession(): SessionView | null | undefined {
  return queryClient.getQueryData<SessionView | null>(SESSION_KEY);
}

/** What one operator was shown is nothing for the next one. */
export function beginSession(session: SessionView): void {
  forgetAnswers();
  queryClient.setQueryData<SessionView | null>(SESSION_KEY, session);
}

/** The same session with something new about it. */
export function renewSession(session: SessionView): void {
  queryClient.setQueryData<SessionView | null>(SESSION_KEY, session);
}

/** Whoever is on a page that needs a session is led to the sign-in by it. */
export function endSession(): void {
  if (currentSession() === null) return;
  queryClient.setQueryData<SessionView | null>(SESSION_KEY, null);
  forgetAnswers();
}

function forgetAnswers(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
}
