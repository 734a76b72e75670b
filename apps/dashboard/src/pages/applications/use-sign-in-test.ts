import { useSearchParams } from 'react-router';
import { api, useChange, type ApiError, type Api } from '../../api/index.js';

interface SignInTest {
  /** Of the test whose result is looked at. */
  id: string | null;
  start: (provider: Api.OAuthProvider) => void;
  isStarting: boolean;
  error: ApiError | null;
  clear: () => void;
}

/** The test that the address names, and the way to another one: the browser leaves the page and comes back to it. */
export function useSignInTest(applicationId: string): SignInTest {
  const [params, setParams] = useSearchParams();
  const started = useChange(
    (provider: Api.OAuthProvider) =>
      api.post<Api.StartedSignInTest>(`/applications/${applicationId}/oauthClients/${provider}/test`),
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
    clear: () => setParams({}, { replace: true }),
  };
}
