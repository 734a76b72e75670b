import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { api, segment, useApi, useChange, type Api } from '../../api/index.js';
import { useMayChange, useOperator } from '../../session/index.js';
import { ConfirmTyped, DataTable, ErrorNote, notify, StateBadge, When, type Column } from '../../ui/index.js';
import { ROLES } from './roles.js';

export function OperatorsList() {
  const self = useOperator();
  const mayChange = useMayChange();
  const [leaving, setLeaving] = useState<Api.Operator | null>(null);
  const { data, error, refetch } = useApi<Api.OperatorList>('/operators');
  const change = useChange(
    ({ id, ...input }: Api.UpdateOperator & { id: string }) =>
      api.patch<Api.Operator>(`/operators/${segment(id)}`, input),
    {
      refreshes: ['/operators', '/session'],
      onDone: ({ name, role }) => notify(`${name} is ${role === 'admin' ? 'an admin' : 'a viewer'} now.`),
    },
  );
  const columns: Column<Api.Operator>[] = [
    {
      header: 'Operator',
      isRowHeader: true,
      cell: ({ id, name, email }) => (
        <>
          <Text size="sm" fw={600}>
            {name}
            {id === self.id && ' (you)'}
          </Text>
          <Text size="xs" c="dimmed">
            {email}
          </Text>
        </>
      ),
    },
    {
      header: 'Role',
      width: '11rem',
      cell: (operator) =>
        mayChange ? (
          <NativeSelect
            aria-label={`Role of ${operator.name}`}
            size="xs"
            data={ROLES}
            value={operator.role}
            disabled={change.isPending}
            onChange={(event) =>
              change.mutate({ id: operator.id, role: event.currentTarget.value as Api.OperatorRole })
            }
          />
        ) : (
          <StateBadge state={operator.role} />
        ),
    },
    { header: 'Signs in with', cell: ({ hasPassword }) => (hasPassword ? 'password' : 'single sign-on') },
    { header: 'Last sign-in', cell: ({ lastSignInAt }) => <When at={lastSignInAt} /> },
    { header: 'Since', isMinor: true, cell: ({ createdAt }) => <When at={createdAt} /> },
    ...(mayChange
      ? [
          {
            header: '',
            hiddenHeader: 'Actions',
            align: 'end' as const,
            cell: (operator: Api.Operator) => (
              <Group justify="flex-end">
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Remove ${operator.name}`}
                  onClick={() => setLeaving(operator)}
                >
                  Remove
                </Button>
              </Group>
            ),
          },
        ]
      : []),
  ];
  return (
    <section aria-label="Operators">
      <ErrorNote error={change.error} title="The role is as it was" />
      <DataTable
        label="Operators"
        columns={columns}
        rows={data?.data}
        rowKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        expectedRows={2}
        empty={null}
      />
      <RemoveDialog operator={leaving} onClose={() => setLeaving(null)} />
    </section>
  );
}

function RemoveDialog({ operator, onClose }: { operator: Api.Operator | null; onClose: () => void }) {
  const remove = useChange(({ id }: Api.Operator) => api.delete(`/operators/${segment(id)}`), {
    refreshes: ['/operators', '/session'],
    onDone: (_, { name }) => {
      notify(`${name} is not an operator any more.`);
      onClose();
    },
  });
  const close = () => {
    remove.reset();
    onClose();
  };
  return (
    <ConfirmTyped
      isOpen={operator !== null}
      onClose={close}
      onConfirm={() => operator && remove.mutate(operator)}
      title="Remove an operator"
      expected={operator?.email ?? ''}
      confirmLabel="Remove"
      isPending={remove.isPending}
      error={remove.error}
    >
      {operator?.name} is signed out everywhere at once and cannot sign in any more. What they did stays in the audit
      log.
    </ConfirmTyped>
  );
}
