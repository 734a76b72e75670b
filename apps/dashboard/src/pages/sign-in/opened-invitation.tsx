import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, useApi, type ApiError, type Api } from '../../api/index.js';
import { ErrorNote } from '../../ui/index.js';
import { AcceptInvitation } from './accept-invitation.js';
import { ssoUrl } from './single-sign-on.js';

/** @param lost shown when the token is invalid */
export function OpenInvitation({ token, lost }: { token: string; lost: ReactNode }) {
  const signInOptions = useApi<Api.SignInOptions>('/welcome');
  const opened = useQuery<Api.OpenedInvitation, ApiError>({
    queryKey: ['/invitations/open', token],
    queryFn: () => api.post<Api.OpenedInvitation>('/invitations/open', { token }),
    enabled: token !== '',
    staleTime: Infinity,
  });
  if (token === '' || opened.error?.status === 404) return <Text size="sm">{lost}</Text>;
  if (opened.data && signInOptions.data?.hasPasswords === false) {
    return <AcceptBySso invitation={opened.data} label={signInOptions.data.sso?.label ?? 'Sign in'} />;
  }
  if (opened.data && signInOptions.data) return <AcceptInvitation token={token} invitation={opened.data} />;
  const failed = [opened, signInOptions].find(({ error }) => error !== null);
  if (failed) return <ErrorNote error={failed.error} onRetry={() => void failed.refetch()} />;
  return <Skeleton height={332} aria-label="Loading" />;
}

/** The identity provider must confirm the invited email address. */
function AcceptBySso({ invitation: { email }, label }: { invitation: Api.OpenedInvitation; label: string }) {
  return (
    <Stack gap="sm">
      <Text size="sm">
        Operators of this installation have no passwords. Sign in
        {email !== null && ` as ${email}`} at your identity provider: that accepts the invitation.
      </Text>
      <Button component="a" href={ssoUrl('/')}>
        {label}
      </Button>
    </Stack>
  );
}
