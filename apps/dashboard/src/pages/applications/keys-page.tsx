import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { useApi, type Api } from '../../api/index.js';
import {
  byUrgency,
  CreateKey,
  EndingKeys,
  KeyExpiry,
  keyState,
  RevokeKey,
  type ScopeChoice,
} from '../../keys/index.js';
import { useMayChange } from '../../session/index.js';
import { DataTable, EmptyState, useNow, When, type Column } from '../../ui/index.js';
import { ApplicationFrame } from './application-frame.js';

const SCOPES: ScopeChoice<Api.ApiKeyScope>[] = [
  { value: 'read', label: 'read', description: 'Accounts, calendars, events, free/busy.' },
  { value: 'write', label: 'write', description: 'Connects and removes accounts, changes events, subscribes.' },
  { value: 'credentials:read', label: 'credentials:read', description: 'Hands out access tokens of accounts.' },
];

export default function KeysPage() {
  return <ApplicationFrame>{({ id }) => <ApiKeys key={id} applicationId={id} />}</ApplicationFrame>;
}

function ApiKeys({ applicationId }: { applicationId: string }) {
  const path = `/applications/${applicationId}/apiKeys`;
  const { data, error, refetch } = useApi<Api.ApiKeyList>(path);
  const [isCreating, creating] = useDisclosure(false);
  const [toRevoke, setToRevoke] = useState<Api.ApiKey | null>(null);
  const mayChange = useMayChange();
  const now = useNow();
  const keys = data?.data.toSorted(byUrgency(now));
  const create = mayChange && <Button onClick={creating.open}>Create an API key</Button>;
  return (
    <Stack>
      <Group justify="space-between" mih={36}>
        <Text size="sm" c="dimmed">
          Sent in the header <Code>x-api-key</Code>. Give every place that uses one a key of its own.
        </Text>
        {keys?.length !== 0 && create}
      </Group>
      <EndingKeys keys={keys ?? []} />
      <DataTable
        label="API keys"
        columns={columns(now, mayChange ? setToRevoke : null)}
        rows={keys}
        rowKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <EmptyState icon={<IconKey size={28} />} title="No API keys yet" action={create}>
            With a key your backend calls the API for this application. Its text is shown once, when it is created.
            {!mayChange && ' An admin creates it.'}
          </EmptyState>
        }
      />
      <CreateKey<Api.ApiKeyScope, Api.NewApiKey>
        isOpen={isCreating}
        onClose={creating.close}
        path={path}
        title="Create an API key"
        placeholder="backend, production"
        scopes={SCOPES}
        chosen={['read', 'write']}
        mayNeverExpire
        textOf={textOf}
      />
      <RevokeKey revoked={toRevoke} path={path} label="API key" onClose={() => setToRevoke(null)}>
        Whatever still uses it is refused from now on.
      </RevokeKey>
    </Stack>
  );
}

function textOf({ apiKey, scopes }: Api.NewApiKey) {
  const curl = `curl -H 'x-api-key: ${apiKey}' ${window.location.origin}/api/v1/endUserAccounts`;
  const trial = scopes.includes('read') ? { description: 'Try it: the accounts of this application.', curl } : null;
  return { label: 'API key', text: apiKey, trial };
}

function columns(now: number, onRevoke: ((key: Api.ApiKey) => void) | null): Column<Api.ApiKey>[] {
  return [
    { header: 'Name', isRowHeader: true, cell: ({ name }) => name },
    { header: 'Begins with', cell: ({ prefix }) => <Code>{prefix}…</Code> },
    { header: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
    { header: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
    { header: 'Expires', cell: (key) => <KeyExpiry apiKey={key} /> },
    { header: 'Created', isMinor: true, cell: ({ createdAt }) => <When at={createdAt} /> },
    ...(onRevoke === null ? [] : [revokeColumn(now, onRevoke)]),
  ];
}

function revokeColumn(now: number, onRevoke: (key: Api.ApiKey) => void): Column<Api.ApiKey> {
  return {
    header: '',
    hiddenHeader: 'Actions',
    align: 'end',
    cell: (key) =>
      !['revoked', 'expired'].includes(keyState(key, now)) && (
        <Button size="xs" variant="default" onClick={() => onRevoke(key)} aria-label={`Revoke ${key.name}`}>
          Revoke
        </Button>
      ),
  };
}
