import { Anchor, Code, Text } from '@mantine/core';
import { IconBellRinging } from '@tabler/icons-react';
import { Link } from 'react-router';
import { segment, type Api } from '../../api/index.js';
import { count } from '../../charts/index.js';
import {
  ApplicationFilter,
  ChoiceFilter,
  choices,
  FilterBar,
  filteredPath,
  TextFilter,
  useFilters,
} from '../../filters/index.js';
import { DataTable, EmptyState, Page, StateBadge, usePagedList, When, type Column } from '../../ui/index.js';
import classes from './deliveries.module.css';
import { KIND_NAMES } from './endpoint-kind.js';

const STATES = choices({ active: 'Active', failing: 'Failing', disabled: 'Disabled' });
const KINDS = choices(KIND_NAMES);
const RULES = {
  state: STATES.map(({ value }) => value),
  kind: KINDS.map(({ value }) => value),
  applicationId: 'text',
  accountId: 'text',
} as const;
const EVERY_MS = 15_000;

const COLUMNS: Column<Api.EndpointSummary>[] = [
  {
    header: 'URL',
    isRowHeader: true,
    cell: ({ id, url }) => (
      <Anchor component={Link} to={`/endpoints/${segment(id)}`} className={classes.url} size="sm">
        {url}
      </Anchor>
    ),
  },
  { header: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { header: 'Told of', cell: ({ kind }) => KIND_NAMES[kind] },
  { header: 'Application', cell: ({ applicationName }) => applicationName },
  {
    header: 'Waiting',
    align: 'end',
    cell: ({ id, pending }) => <MessageCount endpointId={id} state="pending" value={pending} />,
  },
  {
    header: 'Failed',
    align: 'end',
    cell: ({ id, failed }) => <MessageCount endpointId={id} state="failed" value={failed} />,
  },
  { header: 'Since', isMinor: true, cell: ({ createdAt }) => <When at={createdAt} /> },
];

export default function EndpointsPage() {
  const { filters, isFiltered, change, clear } = useFilters(RULES);
  const endpoints = usePagedList<Api.EndpointSummary>('/endpoints', filters, { refetchInterval: EVERY_MS });
  return (
    <Page
      title="Endpoints"
      description="URLs of applications that receive messages, and the state of their deliveries."
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <ChoiceFilter
          label="State"
          any="Any state"
          value={filters.state}
          onChange={(state) => change({ state })}
          options={STATES}
        />
        <ChoiceFilter
          label="Told of"
          any="Anything"
          value={filters.kind}
          onChange={(kind) => change({ kind })}
          options={KINDS}
        />
        <ApplicationFilter value={filters.applicationId} onChange={(applicationId) => change({ applicationId })} />
        <TextFilter label="Account id" value={filters.accountId} onChange={(accountId) => change({ accountId })} />
      </FilterBar>
      <DataTable
        {...endpoints}
        label="Endpoints"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={<NoEndpoints isFiltered={isFiltered} />}
      />
    </Page>
  );
}

function MessageCount({ endpointId, state, value }: { endpointId: string; state: string; value: number }) {
  if (value === 0) {
    return (
      <Text size="sm" c="dimmed">
        0
      </Text>
    );
  }
  return (
    <Anchor component={Link} to={filteredPath('/messages', { endpointId, state })} size="sm">
      {count(value)}
    </Anchor>
  );
}

function NoEndpoints({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState icon={<IconBellRinging size={28} />} title="No such endpoint">
      There is none with these filters. Clear them to see all.
    </EmptyState>
  ) : (
    <EmptyState icon={<IconBellRinging size={28} />} title="No endpoints yet">
      An endpoint is a URL of an application that receives messages. An application creates one when it subscribes to a
      calendar, <Code>POST /v1/calendarSubscriptions/…</Code>, or to the events of its accounts,{' '}
      <Code>POST /v1/webhookEndpoints</Code>.
    </EmptyState>
  );
}
