import { Text } from '@mantine/core';
import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { announceReauthenticated } from '../../api/index.js';
import { AuthPage } from './auth-page.js';
import { ssoFailure } from './single-sign-on.js';

/** Final page of the reauthentication tab; another tab waits for it. */
export default function SignedInAgainPage() {
  const [search] = useSearchParams();
  const failure = ssoFailure(search.get('error'));
  useEffect(() => {
    if (failure) return;
    announceReauthenticated();
    window.close();
  }, [failure]);
  return (
    <AuthPage title={failure?.title ?? 'It is you'}>
      <Text size="sm">
        {failure?.advice ?? 'What you were doing goes on in the tab where you began.'} You can close this one.
      </Text>
    </AuthPage>
  );
}
