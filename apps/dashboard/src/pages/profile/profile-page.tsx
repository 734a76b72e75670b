import { Alert, Button, Paper, PasswordInput, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { useSearchParams } from 'react-router';
import { api, renewSession, useApi, useChange, type Api } from '../../api/index.js';
import { useOperator, useSession } from '../../session/index.js';
import { ErrorNote, messageAt, notify, Page, StateBadge, When } from '../../ui/index.js';
import { MIN_PASSWORD_LENGTH, passwordError } from '../sign-in/password-rules.js';
import { ssoFailure } from '../sign-in/single-sign-on.js';
import { OwnSessions } from './own-sessions.js';

export default function ProfilePage() {
  const operator = useOperator();
  const session = useSession();
  const signInOptions = useApi<Api.SignInOptions>('/welcome');
  return (
    <Page title={operator.name} description={operator.email} badge={<StateBadge state={operator.role} />}>
      <Text size="sm">
        Your session ends <When at={session.idleUntil} /> unless you do something here, and <When at={session.endsAt} />{' '}
        at the latest.
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {operator.hasPassword && signInOptions.data?.hasPasswords !== false && <UpdatePassword />}
        <SsoService />
      </SimpleGrid>
      <OwnSessions />
    </Page>
  );
}

const NOTHING: Api.UpdatePassword = { currentPassword: '', newPassword: '' };

function UpdatePassword() {
  const [input, setInput] = useState(NOTHING);
  const [isSubmitted, setSubmitted] = useState(false);
  const change = useChange((passwords: Api.UpdatePassword) => api.put<Api.Session>('/session/password', passwords), {
    onDone: (session) => {
      renewSession(session);
      setInput(NOTHING);
      setSubmitted(false);
      notify('Your password is changed. Your other sessions have ended.');
    },
  });
  const fault = passwordError(input.newPassword);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (fault === null) change.mutate(input);
  };
  return (
    <Paper withBorder p="lg">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Title order={2} size="h4">
            Change the password
          </Title>
          <Text size="sm" c="dimmed">
            Your other sessions end with it, wherever they are.
          </Text>
          <ErrorNote error={change.error} title="Your password is as it was" />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={input.currentPassword}
            onChange={(event) => setInput({ ...input, currentPassword: event.currentTarget.value })}
            error={messageAt(change.error, 'currentPassword')}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the current password' }}
          />
          <PasswordInput
            label="New password"
            description={`At least ${MIN_PASSWORD_LENGTH} characters.`}
            autoComplete="new-password"
            required
            withAsterisk={false}
            value={input.newPassword}
            onChange={(event) => setInput({ ...input, newPassword: event.currentTarget.value })}
            error={(isSubmitted && fault) || messageAt(change.error, 'newPassword')}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the new password' }}
          />
          <Button type="submit" loading={change.isPending}>
            Change password
          </Button>
        </Stack>
      </form>
    </Paper>
  );
}

function SsoService() {
  const signInOptions = useApi<Api.SignInOptions>('/welcome');
  const link = useChange(() => api.post<{ url: string }>('/sign-on/link'), {
    onDone: ({ url }) => window.location.assign(url),
  });
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Single sign-on
        </Title>
        <LinkOutcome />
        <ErrorNote error={signInOptions.error ?? link.error} />
        {signInOptions.data?.sso ? (
          <>
            <Text size="sm" c="dimmed">
              Link the identity that you sign in with elsewhere to this account. You sign in there once more, and can
              use it instead of your password from then on.
            </Text>
            <Button variant="default" loading={link.isPending} onClick={() => link.mutate()}>
              Link: {signInOptions.data.sso.label}
            </Button>
          </>
        ) : (
          <Text size="sm" c="dimmed">
            Operators of this installation sign in with passwords. Whoever runs it can connect an OpenID Connect
            provider with the settings that begin with OIDC_.
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

/** Result of linking single sign-on, read from the URL. */
function LinkOutcome() {
  const [search] = useSearchParams();
  const failure = ssoFailure(search.get('error'));
  if (failure) {
    return (
      <Alert role="alert" color="red" variant="default" icon={<IconInfoCircle aria-hidden />} title={failure.title}>
        {failure.advice}
      </Alert>
    );
  }
  if (search.get('linked') !== 'true') return null;
  return (
    <Alert role="status" variant="default" icon={<IconInfoCircle aria-hidden />} title="Your identity is linked">
      From now on you can sign in with it.
    </Alert>
  );
}
