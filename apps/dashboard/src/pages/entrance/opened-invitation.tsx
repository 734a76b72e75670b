import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { OpenedInvitation } from '#operator-api';
import { api, type ApiError } from '../../api/index.js';
import { ErrorNote } from '../../ui/index.js';
import { AcceptInvitation } from './accept-invitation.js';

/** Asks what the token is good for, and offers that. `lost`: what to do when it is good for nothing. */
export function OpenInvitation({ token, lost }: { token: string; lost: ReactNode }) {
  const opened = useQuery<OpenedInvitation, ApiError>({
    queryKey: ['/invitations/open', token],
    queryFn: () => api.post<OpenedInvitation>('/invitations/open', { token }),
    enabled: token !== '',
    staleTime: Infinity,
  });
  if (token === '' || opened.error?.status === 404) return <Text size="sm">{lost}</Text>;
  if (opened.data) return <AcceptInvitation token={token} invitation={opened.data} />;
  if (opened.error) return <ErrorNote error={opened.error} onRetry={() => void opened.refetch()} />;
  return <Skeleton height={332} aria-label="Loading" />;
}
