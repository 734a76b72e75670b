import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { segment, type Api } from '../../api/index.js';
import { DataTable, StateBadge, usePagedList, When, type Column } from '../../ui/index.js';
import classes from './deliveries.module.css';

const EVERY_MS = 10_000;

const MESSAGE: Column<Api.MessageSummary> = {
  header: 'Message',
  isRowHeader: true,
  cell: ({ id, eventType }) => (
    <Anchor component={Link} to={`/messages/${segment(id)}`} size="sm">
      {eventType}
    </Anchor>
  ),
};
const STATE: Column<Api.MessageSummary> = {
  header: 'State',
  cell: ({ state, failureReason }) => (
    <>
      <StateBadge state={state} />
      {failureReason !== null && (
        <Text size="xs" c="dimmed">
          {failureReason}
        </Text>
      )}
    </>
  ),
};
const WHERE: Column<Api.MessageSummary>[] = [
  { header: 'Application', cell: ({ applicationName }) => applicationName },
  {
    header: 'Endpoint',
    cell: ({ endpointId, url }) => (
      <Anchor component={Link} to={`/endpoints/${segment(endpointId)}`} size="sm" className={classes.url}>
        {url ?? 'removed'}
      </Anchor>
    ),
  },
];
const PROGRESS: Column<Api.MessageSummary>[] = [
  { header: 'Attempts', align: 'end', cell: ({ attempts }) => attempts },
  { header: 'Next attempt', isMinor: true, cell: ({ nextAttemptAt }) => <When at={nextAttemptAt} never="none" /> },
  { header: 'Made', cell: ({ createdAt }) => <When at={createdAt} /> },
];

export interface MessagesTableProps {
  filters: NonNullable<Api.ListMessagesData['query']>;
  /** Shows the columns of the endpoint. */
  withEndpoint?: boolean;
  empty: ReactNode;
}

export function MessagesTable({ filters, withEndpoint = false, empty }: MessagesTableProps) {
  const messages = usePagedList<Api.MessageSummary>('/messages', filters, { refetchInterval: EVERY_MS });
  return (
    <DataTable
      {...messages}
      label="Messages"
      columns={[MESSAGE, STATE, ...(withEndpoint ? WHERE : []), ...PROGRESS]}
      rowKey={({ id }) => id}
      empty={empty}
    />
  );
}
