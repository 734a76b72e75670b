import { useSearchParams } from 'react-router';
import type { OAuthProvider, StartedSignInTest } from '#operator-api';
import { api, useChange, type ApiError } from '../../api/index.js';

interface SignInTest {
  /** Of the test whose result is looked at. */
  id: string | null;
  start: (provider: OAuthProvider) => void;
  isStarting: boolean;
  error: ApiError | null;
  forget: () => void;
}

/** The test that the address names, and the way to another one: the browser leaves the page and comes back to it. */
export function useSignInTest(applicationId: string): SignInTest {
  const [params, setParams] = useSearchParams();
  const started = useChange(
    (provider: OAuthProvider) =>
      api.post<StartedSignInTest>(`/applications/${applicationId}/oauthClients/${provider}/test`),
    {
      onDone: ({ testId, authorizationUrl }) => {
        // A provider that knows no such callback URL keeps the browser: whoever goes back finds the test, and what to do.
        setParams({ test: testId }, { replace: true });
        window.location.assign(authorizationUrl);
      },
    },
  );
  return {
    id: params.get('test'),
    start: started.mutate,
    isStarting: started.isPending,
    error: started.error,
    forget: () => setParams({}, { replace: true }),
  };
}
