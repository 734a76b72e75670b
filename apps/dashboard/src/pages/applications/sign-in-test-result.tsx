import { Button, Group, List, Skeleton, Stack, Text } from '@mantine/core';
import { segment, useApi, type Api } from '../../api/index.js';
import { useMayChange } from '../../session/index.js';
import { useProviders } from '../../providers/index.js';
import { ErrorNote, Panel, StateBadge } from '../../ui/index.js';
import { CallbackUrl } from './callback-url.js';

const ASKED_EVERY_MS = 3_000;

interface SignInTestResultProps {
  applicationId: string;
  testId: string;
  clients: Api.OAuthClient[];
  onRepeat: (provider: Api.OAuthProvider) => void;
  onClose: () => void;
}

export function SignInTestResult({ applicationId, testId, clients, onRepeat, onClose }: SignInTestResultProps) {
  const path = `/applications/${applicationId}/signInTests/${segment(testId)}`;
  const {
    data: test,
    error,
    refetch,
  } = useApi<Api.SignInTest>(
    path,
    {},
    {
      refetchInterval: (current) => current?.state === 'running' && ASKED_EVERY_MS,
    },
  );
  const mayChange = useMayChange();
  const { formOf } = useProviders();
  if (error)
    return <ErrorNote error={error} title="The result of the test cannot be read" onRetry={() => void refetch()} />;
  if (!test) return <Skeleton height={180} />;
  const client = clients.find(({ provider }) => provider === test.provider);
  return (
    <Panel title={`Test of the sign-in with ${formOf(test.provider).name}`} badge={<StateBadge state={test.state} />}>
      <Stack gap="sm">
        {test.state === 'running' && <Running test={test} />}
        {test.state === 'passed' && <Passed test={test} />}
        {test.state === 'failed' && <Failed test={test} />}
        {test.state !== 'passed' && client && <CallbackUrl client={client} />}
        <Group gap="xs">
          {mayChange && (
            <Button size="xs" variant="default" onClick={() => onRepeat(test.provider)}>
              Test again
            </Button>
          )}
          <Button size="xs" variant="subtle" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    </Panel>
  );
}

function Running({ test: { provider } }: { test: Api.SignInTest }) {
  const { name, redirectName } = useProviders().formOf(provider);
  return (
    <Text size="sm">
      {name} has not sent the browser back yet. If its page says <q>redirect_uri_mismatch</q> or that the redirect URI
      is not registered, it never will: add exactly this URL to the “{redirectName}” of the client, and test again.
    </Text>
  );
}

function Passed({ test: { email, grantedScopes, missingScopes, hasRefreshToken } }: { test: Api.SignInTest }) {
  return (
    <>
      <Text size="sm">
        {email === null ? 'The sign-in works.' : `${email} signed in.`} No account was made of it.{' '}
        {hasRefreshToken
          ? 'Accounts stay connected: there is a refresh token.'
          : 'There was no refresh token: accounts would expire within hours.'}
      </Text>
      <Scopes label="Granted" scopes={grantedScopes} />
      <Scopes label="Asked for and not granted" scopes={missingScopes} />
    </>
  );
}

function Failed({ test: { error, grantedScopes, missingScopes } }: { test: Api.SignInTest }) {
  return (
    <>
      <Text size="sm">
        {error?.message} {error && <code>{error.code}</code>}
      </Text>
      <Scopes label="Granted" scopes={grantedScopes} />
      <Scopes label="Asked for and not granted" scopes={missingScopes} />
    </>
  );
}

function Scopes({ label, scopes }: { label: string; scopes: string[] }) {
  if (scopes.length === 0) return null;
  return (
    <div>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <List size="sm">
        {scopes.map((scope) => (
          <List.Item key={scope}>{scope}</List.Item>
        ))}
      </List>
    </div>
  );
}
