import { Button, Group, Text, Title } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { api, segment, useApi, useChange, type Api } from '../../api/index.js';
import { useMayChange } from '../../session/index.js';
import { DataTable, EmptyState, ErrorNote, notify, StateBadge, When, type Column } from '../../ui/index.js';

export function InvitationsList({ onInvite }: { onInvite: () => void }) {
  const mayChange = useMayChange();
  const { data, error, refetch } = useApi<Api.InvitationList>('/invitations');
  const withdraw = useChange(({ id }: Api.Invitation) => api.delete(`/invitations/${segment(id)}`), {
    refreshes: ['/invitations'],
    onDone: (_, { email }) => notify(`The invitation of ${email} is withdrawn: its link works no more.`),
  });
  const columns: Column<Api.Invitation>[] = [
    { header: 'Invited', isRowHeader: true, cell: ({ email }) => email },
    { header: 'Role', cell: ({ role }) => <StateBadge state={role} /> },
    { header: 'By', isMinor: true, cell: ({ invitedBy }) => invitedBy ?? '–' },
    { header: 'Good until', cell: ({ expiresAt }) => <When at={expiresAt} /> },
    ...(mayChange
      ? [
          {
            header: '',
            hiddenHeader: 'Actions',
            align: 'end' as const,
            cell: (invitation: Api.Invitation) => (
              <Group justify="flex-end">
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Withdraw the invitation of ${invitation.email}`}
                  disabled={withdraw.isPending}
                  onClick={() => withdraw.mutate(invitation)}
                >
                  Withdraw
                </Button>
              </Group>
            ),
          },
        ]
      : []),
  ];
  return (
    <section aria-labelledby="open-invitations">
      <Title order={2} size="h4" mb="xs" id="open-invitations">
        Open invitations
      </Title>
      <ErrorNote error={withdraw.error} title="The invitation is still open" />
      <DataTable
        label="Open invitations"
        columns={columns}
        rows={data?.data}
        rowKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        expectedRows={1}
        empty={
          <EmptyState
            icon={<IconMail size={28} />}
            title="Nobody is invited"
            action={
              mayChange && (
                <Button variant="default" onClick={onInvite}>
                  Invite somebody
                </Button>
              )
            }
          >
            <Text size="sm">
              An invitation is a link, good for a week, with which one person becomes an operator. You hand it over
              yourself: nothing is sent.
            </Text>
          </EmptyState>
        }
      />
    </section>
  );
}
