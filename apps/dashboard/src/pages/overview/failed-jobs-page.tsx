import { Button, Text } from '@mantine/core';
import { IconRefreshAlert } from '@tabler/icons-react';
import { api, useApi, useChange, type Api } from '../../api/index.js';
import { count } from '../../charts/index.js';
import { ChoiceFilter, FilterBar, useFilters } from '../../filters/index.js';
import { useMayChange } from '../../session/index.js';
import { DataTable, EmptyState, ErrorNote, notify, Page, When, type Column } from '../../ui/index.js';

const RULES = { queue: 'text' } as const;
const EVERY_MS = 10_000;

export default function FailedJobsPage() {
  const { filters, isFiltered, change, clear } = useFilters(RULES);
  const mayChange = useMayChange();
  const jobs = useApi<Api.FailedJobList>('/failedJobs', {}, { refetchInterval: EVERY_MS });
  const redrive = useChange((input: Api.Redrive) => api.post<Api.Redriven>('/failedJobs/redrive', input), {
    refreshes: ['/failedJobs', '/overview'],
    onDone: ({ redriven }) => notify(outcome(redriven)),
  });

  const all = jobs.data?.data;
  const queues = [...new Set(all?.map(({ queue }) => queue))].sort();
  const shown = all?.filter(({ queue }) => filters.queue === undefined || queue === filters.queue);
  const columns = mayChange ? [...COLUMNS, redriveColumn(redrive)] : COLUMNS;
  return (
    <Page
      title="Failed jobs"
      description="Work in the background that failed until its attempts were used up: of each queue the latest hundred. Redriven, it begins anew."
      actions={
        mayChange && (
          <Button
            variant="default"
            disabled={filters.queue === undefined || shown?.length === 0}
            loading={redrive.isPending}
            onClick={() => filters.queue !== undefined && redrive.mutate({ queue: filters.queue })}
          >
            {filters.queue === undefined ? 'Choose a queue to redrive' : `Redrive ${filters.queue}`}
          </Button>
        )
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <ChoiceFilter
          label="Queue"
          any="All queues"
          value={filters.queue}
          onChange={(queue) => change({ queue })}
          options={[...new Set([...queues, ...(filters.queue === undefined ? [] : [filters.queue])])].map((value) => ({
            value,
            label: value,
          }))}
        />
      </FilterBar>
      {redrive.error && <ErrorNote error={redrive.error} title="It could not be redriven" />}
      <DataTable
        label="Failed jobs"
        columns={columns}
        rows={shown}
        rowKey={({ queue, id }) => `${queue} ${id}`}
        error={jobs.error}
        onRetry={() => void jobs.refetch()}
        empty={
          <EmptyState
            icon={<IconRefreshAlert size={28} />}
            title={isFiltered ? 'None in this queue' : 'No failed jobs'}
          >
            Jobs are what the worker does in the background: refreshing tokens, looking at calendars, tidying up. One
            that fails is tried again by itself; it comes here only when that has not helped. Messages that were not
            delivered are among the messages, not here.
          </EmptyState>
        }
      />
    </Page>
  );
}

const COLUMNS: Column<Api.FailedJob>[] = [
  {
    header: 'Job',
    isRowHeader: true,
    cell: ({ name, id }) => (
      <>
        <Text size="sm">{name}</Text>
        <Text size="xs" c="dimmed">
          {id}
        </Text>
      </>
    ),
  },
  { header: 'Queue', cell: ({ queue }) => queue },
  { header: 'Reason', cell: ({ reason }) => reason },
  { header: 'Attempts', align: 'end', cell: ({ attempts }) => attempts },
  { header: 'Failed', cell: ({ failedAt }) => <When at={failedAt} never="unknown" /> },
];

function redriveColumn(redrive: { mutate: (input: Api.Redrive) => void; isPending: boolean }): Column<Api.FailedJob> {
  return {
    header: '',
    hiddenHeader: 'Redrive',
    align: 'end',
    cell: ({ queue, id, name }) => (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Redrive ${name} ${id}`}
        disabled={redrive.isPending}
        onClick={() => redrive.mutate({ queue, jobId: id })}
      >
        Redrive
      </Button>
    ),
  };
}

function outcome(redriven: number): string {
  if (redriven === 0) return 'There was nothing left to redrive.';
  return redriven === 1 ? 'One job begins anew.' : `${count(redriven)} jobs begin anew.`;
}
