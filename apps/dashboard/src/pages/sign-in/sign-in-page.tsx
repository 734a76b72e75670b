import { Alert, Button, Code, Divider, PasswordInput, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { IconInfoCircle, IconKey, IconTerminal2 } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { api, beginSession, useApi, useChange, type Api } from '../../api/index.js';
import { returnPath } from '../../session/index.js';
import { ErrorNote } from '../../ui/index.js';
import { AuthPage } from './auth-page.js';
import { ssoFailure, ssoUrl } from './single-sign-on.js';

export default function SignInPage() {
  const [search] = useSearchParams();
  const signInOptions = useApi<Api.SignInOptions>('/welcome');
  const failure = ssoFailure(search.get('error'));
  if (signInOptions.data?.needsSetup && signInOptions.data.hasPasswords) return <SetupNeeded />;
  return (
    <AuthPage title="Sign in" description="To the dashboard of this installation, as an operator.">
      {failure && (
        <Alert role="alert" color="red" variant="default" icon={<IconInfoCircle aria-hidden />} title={failure.title}>
          {failure.advice}
        </Alert>
      )}
      <ErrorNote error={signInOptions.error} onRetry={() => void signInOptions.refetch()} />
      {signInOptions.data === undefined && signInOptions.error === null ? (
        <Skeleton height={214} aria-label="Loading" />
      ) : (
        <>
          {signInOptions.data?.needsSetup && <InvitationNeeded />}
          {signInOptions.data?.hasPasswords !== false && <PasswordForm returnTo={returnPath(search)} />}
          {signInOptions.data?.sso && (
            <>
              {signInOptions.data.hasPasswords && <Divider label="or" />}
              <Button
                component="a"
                href={ssoUrl(returnPath(search))}
                variant="default"
                leftSection={<IconKey size={16} aria-hidden />}
              >
                {signInOptions.data.sso.label}
              </Button>
            </>
          )}
        </>
      )}
    </AuthPage>
  );
}

function PasswordForm({ returnTo }: { returnTo: string }) {
  const navigate = useNavigate();
  const [login, setCredentials] = useState<Api.SignIn>({ email: '', password: '' });
  const signIn = useChange((input: Api.SignIn) => api.post<Api.Session>('/session', input), {
    onDone: (session) => {
      beginSession(session);
      void navigate(returnTo, { replace: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate(login);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <ErrorNote error={signIn.error} title="You are not signed in" />
        <TextInput
          label="Email"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          value={login.email}
          onChange={(event) => setCredentials({ ...login, email: event.currentTarget.value })}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={login.password}
          onChange={(event) => setCredentials({ ...login, password: event.currentTarget.value })}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        />
        <Button type="submit" loading={signIn.isPending} mt="xs">
          Sign in
        </Button>
        <Text size="xs" c="dimmed">
          Password forgotten? An admin can remove you and invite you again; with access to the server,{' '}
          <Code>npm run ops -- operator create</Code> makes an invitation.
        </Text>
      </Stack>
    </form>
  );
}

/** Without passwords, a setup link cannot create the first operator. */
function InvitationNeeded() {
  return (
    <Alert variant="default" icon={<IconTerminal2 aria-hidden />} title="This installation has no operator yet">
      <Text size="sm">
        Whoever runs it invites the first one with <Code>npm run ops -- operator create --email …</Code>. Then sign in
        with that address.
      </Text>
    </Alert>
  );
}

function SetupNeeded() {
  return (
    <AuthPage
      title="Welcome"
      description="This installation has no operator yet. The log of the api says how to make the first one."
    >
      <Alert variant="default" icon={<IconTerminal2 aria-hidden />} title="Look into the log">
        <Text size="sm">
          In production it names a command, <Code>operator create</Code>: run it on the server, and open the link that
          it shows. Elsewhere the api logs a link when it starts, <Code>/dashboard/setup#…</Code>: it works once, within
          an hour, and only the newest one does. If it is gone, start the api again.
        </Text>
      </Alert>
    </AuthPage>
  );
}
