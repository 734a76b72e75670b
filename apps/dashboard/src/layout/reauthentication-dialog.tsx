import { Button, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  finishReauthentication,
  api,
  onReauthenticated,
  renewSession,
  useApi,
  useChange,
  useReauthentication,
  type ApiError,
  type Api,
} from '../api/index.js';
import { useOperator } from '../session/index.js';
import { DialogForm, ErrorNote, messageAt } from '../ui/index.js';

const cancel = () => finishReauthentication(false);

/** Rendered once in the layout: any action may require reauthentication. */
export function ReauthenticationDialog() {
  const isAsked = useReauthentication();
  return (
    <Modal
      opened={isAsked}
      onClose={cancel}
      title="Prove that it is you"
      closeButtonProps={{ 'aria-label': 'Close' }}
      // Above the dialog of the waiting action.
      zIndex={400}
    >
      <Proofs />
    </Modal>
  );
}

function Proofs() {
  const operator = useOperator();
  const signInOptions = useApi<Api.SignInOptions>('/welcome');
  if (signInOptions.data === undefined)
    return <ErrorNote error={signInOptions.error} onRetry={() => void signInOptions.refetch()} />;
  const { hasPasswords, sso } = signInOptions.data;
  return (
    <Stack gap="md">
      <Text size="sm">
        Only you may do this, and you signed in a while ago. What you were doing goes on once it is done.
      </Text>
      {hasPasswords && operator.hasPassword && <ByPassword email={operator.email} />}
      {sso && <BySso label={sso.label} />}
    </Stack>
  );
}

function ByPassword({ email }: { email: string }) {
  const [password, setPassword] = useState('');
  const proof = useChange((input: Api.Reauthenticate) => api.post<Api.Session>('/session/reauthenticate', input), {
    onDone: (session) => {
      renewSession(session);
      finishReauthentication(true);
    },
  });
  return (
    <DialogForm
      submitLabel="Go on"
      onSubmit={() => proof.mutate({ password })}
      onCancel={cancel}
      isReady={password !== ''}
      failureTitle="That did not prove it"
      change={proof}
    >
      {/* For password managers. */}
      <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordInput
        label="Your password"
        name="password"
        autoComplete="current-password"
        data-autofocus
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={messageAt(proof.error, 'password')}
        visibilityToggleButtonProps={{ 'aria-label': 'Show your password' }}
      />
    </DialogForm>
  );
}

/** A URL works once, within ten minutes. */
const RENEW_URL_MS = 9 * 60_000;

/** Opens another tab, so that this page keeps its state. */
function BySso({ label }: { label: string }) {
  const address = useQuery<{ url: string }, ApiError>({
    queryKey: ['/sign-on/reauthenticate'],
    queryFn: () => api.post<{ url: string }>('/sign-on/reauthenticate'),
    refetchInterval: RENEW_URL_MS,
    staleTime: 0,
    gcTime: 0,
  });
  useEffect(
    () =>
      onReauthenticated(() => {
        void api.get<Api.Session>('/session').then(
          (session) => {
            renewSession(session);
            finishReauthentication(true);
          },
          () => undefined, // a lost session leads to the sign-in page
        );
      }),
    [],
  );
  return (
    <Stack gap="xs">
      <ErrorNote error={address.error} onRetry={() => void address.refetch()} />
      <Button
        component="a"
        variant="default"
        href={address.data?.url}
        target="_blank"
        rel="noopener"
        data-disabled={address.data === undefined || undefined}
        onClick={() => void address.refetch()}
      >
        {label}
      </Button>
    </Stack>
  );
}
