import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconHandStop } from '@tabler/icons-react';
import { api, useChange, type Api } from '../../api/index.js';
import { useMayChange } from '../../session/index.js';
import { useProviders } from '../../providers/index.js';
import { Confirm, ErrorNote, Facts, notify, Panel, StateBadge, useNow, When } from '../../ui/index.js';
import { CallbackUrl } from './callback-url.js';
import { expiryState } from '../../keys/index.js';
import { SetOAuthClient } from './set-oauth-client.js';

interface OAuthClientCardProps {
  applicationId: string;
  client: Api.OAuthClient;
  onTest: () => void;
  isTestStarting: boolean;
}

export function OAuthClientCard({ applicationId, client, onTest, isTestStarting }: OAuthClientCardProps) {
  const { provider, source, breakerTrippedSince } = client;
  const { name, console } = useProviders().formOf(provider);
  const path = `/applications/${applicationId}/oauthClients`;
  const [isSetting, setting] = useDisclosure(false);
  const [isRemoving, removing] = useDisclosure(false);
  const mayChange = useMayChange();
  return (
    <Panel title={name} badge={<Source source={source} />}>
      <Stack gap="sm">
        {breakerTrippedSince !== null && (
          <TrippedBreaker since={breakerTrippedSince} path={`${path}/${provider}`} list={path} mayReset={mayChange} />
        )}
        {source === null ? (
          <Text size="sm">
            Nobody can connect a {name} account yet. Register a client in the {console} Give it the callback URL below,
            and bring its id and secret here.
          </Text>
        ) : (
          <ClientFacts client={client} />
        )}
        <CallbackUrl client={client} />
        {mayChange && (
          <Group gap="xs">
            <Button variant={source === null ? 'filled' : 'default'} onClick={setting.open}>
              {source === 'application' ? 'Change client' : 'Set client'}
            </Button>
            {source !== null && (
              <Button
                variant="default"
                onClick={onTest}
                loading={isTestStarting}
                aria-label={`Test sign-in with ${name}`}
              >
                Test sign-in
              </Button>
            )}
            {source === 'application' && (
              <Button variant="subtle" color="red" onClick={removing.open} aria-label={`Remove client of ${name}`}>
                Remove
              </Button>
            )}
          </Group>
        )}
      </Stack>
      <SetOAuthClient isOpen={isSetting} onClose={setting.close} client={client} list={path} />
      <RemoveClient isOpen={isRemoving} onClose={removing.close} provider={provider} list={path} />
    </Panel>
  );
}

function Source({ source }: Pick<Api.OAuthClient, 'source'>) {
  if (source === null) return <StateBadge state="none" label="not set" tone="quiet" />;
  return (
    <StateBadge
      state={source}
      label={source === 'application' ? 'own client' : 'client of the installation'}
      tone="good"
    />
  );
}

/** A secret that ends soon ends the access to all accounts of its client. */
function SecretExpiry({ expiresAt }: Pick<Api.OAuthClient, 'expiresAt'>) {
  const state = expiryState(expiresAt, useNow());
  if (expiresAt === null) return 'nobody has said';
  return (
    <Group gap="xs">
      {state === 'expired' && <StateBadge state="expired" tone="bad" />}
      {state === 'ending' && <StateBadge state="ending" tone="waiting" label="soon" />}
      <When at={expiresAt} />
    </Group>
  );
}

function ClientFacts({ client }: { client: Api.OAuthClient }) {
  const { provider, clientId, scopes, defaultScopes, tenant, expiresAt } = client;
  const hasTenant = useProviders().formOf(provider).tenant !== null;
  return (
    <Facts
      facts={{
        'Client id': clientId,
        Secret: 'kept encrypted, shown to nobody',
        'Secret ends': <SecretExpiry expiresAt={expiresAt} />,
        [scopes === null ? 'Default scopes' : 'Scopes']: (
          <List size="sm" listStyleType="none">
            {(scopes ?? defaultScopes).map((scope) => (
              <List.Item key={scope}>{scope}</List.Item>
            ))}
          </List>
        ),
        ...(hasTenant && { Tenant: tenant ?? 'any' }),
      }}
    />
  );
}

interface TrippedBreakerProps {
  since: string;
  path: string;
  list: string;
  mayReset: boolean;
}

/** Many rejected grants at once suggest a broken client. */
function TrippedBreaker({ since, path, list, mayReset }: TrippedBreakerProps) {
  const release = useChange(() => api.post(`${path}/release`), {
    refreshes: [list, '/accounts'],
    onDone: () => notify('Released'),
  });
  return (
    <Alert color="red" variant="default" icon={<IconHandStop aria-hidden />} title="Refused grants are held back">
      <Text size="sm">
        It began <When at={since} />: so many accounts were refused at once that the client itself may be to blame:
        deleted, disabled, or with another secret. Until you release them, no account expires of it. First test the
        sign-in; when it works, release them, and those that are really refused expire.
      </Text>
      {release.error && <ErrorNote error={release.error} />}
      {mayReset && (
        <Button size="xs" variant="default" mt="xs" loading={release.isPending} onClick={() => release.mutate()}>
          Release
        </Button>
      )}
    </Alert>
  );
}

interface RemoveClientProps extends Pick<Api.OAuthClient, 'provider'> {
  isOpen: boolean;
  onClose: () => void;
  list: string;
}

function RemoveClient({ isOpen, onClose, provider, list }: RemoveClientProps) {
  const removal = useChange(() => api.delete(`${list}/${provider}`), {
    refreshes: [list],
    onDone: () => {
      notify('Client removed');
      onClose();
    },
  });
  const { name } = useProviders().formOf(provider);
  return (
    <Confirm
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => removal.mutate()}
      title={`Remove the client of ${name}?`}
      confirmLabel="Remove client"
      isPending={removal.isPending}
      error={removal.error}
    >
      Accounts that were connected with it cannot be refreshed any more: their users have to connect them again, with
      the client of the installation where there is one.
    </Confirm>
  );
}
