import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { api, beginSession, useChange, type Api } from '../../api/index.js';
import { ErrorNote, messageAt } from '../../ui/index.js';
import { MIN_PASSWORD_LENGTH, passwordError } from './password-rules.js';

/** Also asks for the email address when the invitation has none. */
export function AcceptInvitation({ token, invitation }: { token: string; invitation: Api.OpenedInvitation }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [email, setEmail] = useState(invitation.email ?? '');
  const [password, setPassword] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const accept = useChange((input: Api.AcceptInvitation) => api.post<Api.Session>('/invitations/accept', input), {
    onDone: (session) => {
      beginSession(session);
      void navigate('/', { replace: true });
    },
  });
  const fault = passwordError(password);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (fault === null) accept.mutate({ token, name, password, ...(invitation.email === null && { email }) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <ErrorNote error={accept.error} />
        <TextInput
          label="Email"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          readOnly={invitation.email !== null}
          description={invitation.email === null ? 'What you sign in with.' : 'As you were invited.'}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={messageAt(accept.error, 'email')}
        />
        <TextInput
          label="Your name"
          name="name"
          autoComplete="name"
          required
          withAsterisk={false}
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={messageAt(accept.error, 'name')}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="new-password"
          required
          withAsterisk={false}
          description={`At least ${MIN_PASSWORD_LENGTH} characters. A few words that only you put together are good.`}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={(isSubmitted && fault) || messageAt(accept.error, 'password')}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        />
        <Button type="submit" loading={accept.isPending} mt="xs">
          Create my account
        </Button>
      </Stack>
    </form>
  );
}
