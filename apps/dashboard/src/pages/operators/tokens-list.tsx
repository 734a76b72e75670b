import { Button, Code, Group, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconRobot } from '@tabler/icons-react';
import { useState } from 'react';
import { useApi, type Api } from '../../api/index.js';
import { CreateKey, expiryState, KeyExpiry, RevokeKey, type ScopeChoice } from '../../keys/index.js';
import { useMayChange } from '../../session/index.js';
import { DataTable, EmptyState, useNow, When, type Column } from '../../ui/index.js';

const PATH = '/tokens';
/** What a scope of the area reads, and what it changes. */
const AREAS: Record<string, [read: string, write: string]> = {
  applications: ['Applications, redirect URLs, OAuth clients.', 'Creates, changes and deletes them.'],
  keys: ['API keys, without their texts.', 'Creates and revokes keys, rotates secrets of endpoints.'],
  accounts: ['Accounts of users.', 'Deletes them, creates links to reconnect them.'],
  deliveries: ['Endpoints and messages.', 'Changes endpoints, sends messages again.'],
  installation: ['Overview, usage, requests, failed jobs, audit log.', 'Lets failed jobs run again.'],
};
const SCOPES = Object.entries(AREAS).flatMap(([area, [read, write]]): ScopeChoice<Api.OperatorTokenScope>[] =>
  Object.entries({ read, write }).map(([verb, description]) => {
    const scope = `${area}:${verb}` as Api.OperatorTokenScope;
    return { value: scope, label: scope, description };
  }),
);

/** Programs that use the operator API. */
export function TokensList() {
  const { data, error, refetch } = useApi<Api.OperatorTokenList>(PATH);
  const [isCreating, creating] = useDisclosure(false);
  const [toRevoke, setToRevoke] = useState<Api.OperatorToken | null>(null);
  const mayChange = useMayChange();
  const now = useNow();
  const create = mayChange && (
    <Button variant="default" onClick={creating.open}>
      Create a token
    </Button>
  );
  return (
    <section aria-labelledby="operator-tokens">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="operator-tokens">
          Tokens of programs
        </Title>
        {data?.data.length !== 0 && create}
      </Group>
      <DataTable
        label="Tokens of programs"
        columns={columns(now, mayChange ? setToRevoke : null)}
        rows={data?.data}
        rowKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        expectedRows={1}
        empty={
          <EmptyState icon={<IconRobot size={28} />} title="No program has a token" action={create}>
            <Text size="sm">
              With a token a program does over the operator API what its scopes allow: set up applications from a
              repository, resend messages, read the audit log. Operators and tokens are for people alone.
            </Text>
          </EmptyState>
        }
      />
      <CreateKey<Api.OperatorTokenScope, Api.NewOperatorToken>
        isOpen={isCreating}
        onClose={creating.close}
        path={PATH}
        title="Create a token"
        placeholder="Terraform, production"
        scopes={SCOPES}
        chosen={['applications:write']}
        mayNeverExpire={false}
        textOf={textOf}
      />
      <RevokeKey revoked={toRevoke} path={PATH} label="Token" onClose={() => setToRevoke(null)}>
        The next request with it is rejected.
      </RevokeKey>
    </section>
  );
}

function textOf({ token, scopes }: Api.NewOperatorToken) {
  const curl = `curl -H 'authorization: Bearer ${token}' ${window.location.origin}/api/operator/v1/applications`;
  const mayList = scopes.some((scope) => scope.startsWith('applications:'));
  return { label: 'Token', text: token, trial: mayList ? { description: 'Try it: the applications.', curl } : null };
}

function columns(now: number, onRevoke: ((token: Api.OperatorToken) => void) | null): Column<Api.OperatorToken>[] {
  return [
    { header: 'Token', isRowHeader: true, cell: ({ name }) => name },
    { header: 'Begins with', isMinor: true, cell: ({ prefix }) => <Code>{prefix}…</Code> },
    { header: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
    { header: 'By', isMinor: true, cell: ({ createdBy }) => createdBy ?? 'ops' },
    { header: 'Used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
    { header: 'Expires', cell: ({ expiresAt }) => <KeyExpiry apiKey={{ expiresAt, revokedAt: null }} /> },
    ...(onRevoke === null ? [] : [revokeColumn(now, onRevoke)]),
  ];
}

function revokeColumn(now: number, onRevoke: (token: Api.OperatorToken) => void): Column<Api.OperatorToken> {
  return {
    header: '',
    hiddenHeader: 'Actions',
    align: 'end',
    cell: (token) => (
      <Button size="xs" variant="default" onClick={() => onRevoke(token)} aria-label={`Revoke ${token.name}`}>
        {expiryState(token.expiresAt, now) === 'expired' ? 'Remove' : 'Revoke'}
      </Button>
    ),
  };
}
