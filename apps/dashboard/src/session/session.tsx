import { useQuery } from '@tanstack/react-query';
import { createContext, use, type ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { api, ApiError, SESSION_KEY, type Api } from '../api/index.js';
import { ErrorNote } from '../ui/index.js';
import { signInPath } from './return-to.js';

const Session = createContext<Api.Session | null>(null);

/** null without a session; undefined while unknown. */
export function useSessionQuery() {
  return useQuery<Api.Session | null, ApiError>({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }) => {
      try {
        return await api.get<Api.Session>('/session', {}, signal);
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return null;
        throw error;
      }
    },
    // Another tab may have signed out, or in as another operator.
    refetchOnWindowFocus: 'always',
  });
}

/** Leads users without a session to the sign-in, and back to this page afterwards. */
export function NeedsSession({ children }: { children: ReactNode }) {
  const { data: session, error, refetch } = useSessionQuery();
  const { pathname, search } = useLocation();
  if (session) return <Session value={session}>{children}</Session>;
  if (session === null) return <Navigate to={signInPath(`${pathname}${search}`)} replace />;
  return <ErrorNote error={error} onRetry={() => void refetch()} />;
}

export function useSession(): Api.Session {
  const session = use(Session);
  if (session === null) throw new Error('this page is shown without a session');
  return session;
}

export function useOperator(): Api.Operator {
  return useSession().operator;
}

/** Viewers see no actions that the API would reject. */
export function useMayChange(): boolean {
  return useOperator().role === 'admin';
}
