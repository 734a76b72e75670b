import { Button, Group, Text } from '@mantine/core';
import { api, segment, useApi, useChange, type Api } from '../../api/index.js';
import { DataTable, ErrorNote, notify, Panel, When, type Column } from '../../ui/index.js';

/** Milliseconds. Other sessions start, move and end meanwhile. */
const REFETCH_MS = 30_000;

export function OwnSessions() {
  const { data, error, refetch } = useApi<Api.OwnSessionList>('/sessions', {}, { refetchInterval: REFETCH_MS });
  const refreshes = ['/sessions'];
  const end = useChange(({ id }: Api.OwnSession) => api.delete(`/sessions/${segment(id)}`), {
    refreshes,
    onDone: () => notify('The session has ended.'),
  });
  const endOthers = useChange(() => api.delete('/sessions'), {
    refreshes,
    onDone: () => notify('Your other sessions have ended.'),
  });
  const columns: Column<Api.OwnSession>[] = [
    {
      header: 'Device',
      isRowHeader: true,
      cell: ({ device, isCurrent }) => (
        <Text size="sm" fw={600}>
          {device ?? 'Unknown'}
          {isCurrent && ' (this one)'}
        </Text>
      ),
    },
    { header: 'Signed in from', cell: ({ network }) => network ?? 'unknown' },
    { header: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
    { header: 'Since', isMinor: true, cell: ({ createdAt }) => <When at={createdAt} /> },
    {
      header: '',
      hiddenHeader: 'Actions',
      align: 'end',
      cell: (session) =>
        !session.isCurrent && (
          <Button
            size="xs"
            variant="default"
            aria-label={`End the session of ${session.device ?? 'an unknown device'}`}
            loading={end.isPending && end.variables.id === session.id}
            onClick={() => end.mutate(session)}
          >
            End
          </Button>
        ),
    },
  ];
  return (
    <Panel title="Your sessions">
      <ErrorNote error={end.error ?? endOthers.error} title="The sessions are as they were" />
      <DataTable
        label="Your sessions"
        columns={columns}
        rows={data?.data}
        rowKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        expectedRows={1}
        empty={null}
      />
      {(data?.data.length ?? 0) > 1 && (
        <Group justify="flex-end" mt="sm">
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            End all others
          </Button>
        </Group>
      )}
    </Panel>
  );
}
