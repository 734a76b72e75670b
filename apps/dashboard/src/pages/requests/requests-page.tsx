import { Anchor, Code, Group, Text } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { Link } from 'react-router';
import { segment, useApi, type Api } from '../../api/index.js';
import { milliseconds } from '../../charts/index.js';
import {
  ApplicationFilter,
  ChoiceFilter,
  FilterBar,
  TextFilter,
  TimeFilters,
  useFilters,
} from '../../filters/index.js';
import { ProviderName } from '../../providers/index.js';
import {
  CopyButton,
  DataTable,
  EmptyState,
  Page,
  StateBadge,
  usePagedList,
  When,
  type Column,
} from '../../ui/index.js';

const CLASSES = [
  { value: '2xx', label: '2xx: done' },
  { value: '3xx', label: '3xx: led elsewhere' },
  { value: '4xx', label: '4xx: refused' },
  { value: '5xx', label: '5xx: failed' },
];
const STATUSES = ['400', '401', '403', '404', '409', '410', '412', '413', '422', '429', '500', '502', '503', '504'];

const EVERY_MS = 5_000;

const RULES = {
  requestId: 'text',
  applicationId: 'text',
  accountId: 'text',
  status: [...CLASSES.map(({ value }) => value), ...STATUSES],
  from: 'text',
  to: 'text',
} as const;

export default function RequestsPage() {
  const { filters, isFiltered, change, clear } = useFilters(RULES);
  const requests = usePagedList<Api.Request>('/requests', filters, { refetchInterval: EVERY_MS });
  const applications = useApi<Api.ApplicationList>('/applications');
  const names = new Map(applications.data?.data.map(({ id, name }) => [id, name]));

  const columns: Column<Api.Request>[] = [
    {
      header: 'Request',
      isRowHeader: true,
      width: '38%',
      cell: ({ method, route, requestId, traceUrl }) => (
        <>
          <Code>
            {method} {route}
          </Code>
          <Group gap={4} wrap="nowrap">
            <Text size="xs" c="dimmed" ff="monospace">
              {requestId}
            </Text>
            <CopyButton value={requestId} label="Copy request id" />
            {traceUrl !== null && (
              <Anchor href={traceUrl} target="_blank" rel="noreferrer" size="xs">
                Trace
              </Anchor>
            )}
          </Group>
        </>
      ),
    },
    {
      header: 'Status',
      width: '11rem',
      cell: ({ status, errorCode }) => (
        <>
          <StateBadge state={String(status)} tone={toneOf(status)} />
          {errorCode !== null && (
            <Text size="xs" c="dimmed">
              {errorCode}
            </Text>
          )}
        </>
      ),
    },
    { header: 'Took', align: 'end', width: '6rem', cell: ({ durationMs }) => milliseconds(durationMs) },
    {
      header: 'Application',
      cell: ({ applicationId }) =>
        applicationId === null ? (
          <Text size="sm" c="dimmed">
            none
          </Text>
        ) : (
          <Anchor component={Link} to={`/applications/${segment(applicationId)}`} size="sm">
            {names.get(applicationId) ?? 'deleted'}
          </Anchor>
        ),
    },
    {
      header: 'Account',
      width: '7.5rem',
      cell: ({ accountId, providerType }) =>
        accountId === null ? (
          <Text size="sm" c="dimmed">
            none
          </Text>
        ) : (
          <Anchor component={Link} to={`/accounts/${segment(accountId)}`} size="sm">
            {providerType === null ? 'account' : <ProviderName type={providerType} />}
          </Anchor>
        ),
    },
    { header: 'When', width: '8rem', cell: ({ at }) => <When at={at} /> },
  ];

  return (
    <Page
      title="Request log"
      description="Requests of applications and their outcomes. Metadata only: no bodies, queries or secrets."
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <TextFilter
          label="Request id"
          placeholder="x-request-id"
          value={filters.requestId}
          onChange={(requestId) => change({ requestId })}
        />
        <ApplicationFilter value={filters.applicationId} onChange={(applicationId) => change({ applicationId })} />
        <TextFilter label="Account id" value={filters.accountId} onChange={(accountId) => change({ accountId })} />
        <ChoiceFilter
          label="Status"
          any="Any status"
          value={filters.status}
          onChange={(status) => change({ status })}
          options={[...CLASSES, ...STATUSES.map((value) => ({ value, label: value }))]}
        />
        <TimeFilters {...filters} onChange={change} />
      </FilterBar>
      <DataTable
        {...requests}
        label="Requests"
        columns={columns}
        rowKey={({ requestId, at }) => `${requestId} ${at}`}
        empty={<NoRequests isFiltered={isFiltered} />}
      />
    </Page>
  );
}

function NoRequests({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState icon={<IconListSearch size={28} />} title="No such request">
      Requests are written down a few seconds after they were answered, and kept for REQUEST_HISTORY_DAYS. What this
      dashboard only reads is not kept: look for its request ids in the log of the api.
    </EmptyState>
  ) : (
    <EmptyState icon={<IconListSearch size={28} />} title="No requests yet">
      Every request of an application stands here a few seconds after it was answered. Make an API key for an
      application, and try it:{' '}
      <Code>curl -H &quot;x-api-key: $KEY&quot; {window.location.origin}/api/v1/endUserAccounts</Code>. With
      REQUEST_HISTORY_DAYS=0 nothing is kept.
    </EmptyState>
  );
}

function toneOf(status: number): 'good' | 'waiting' | 'bad' {
  if (status >= 500) return 'bad';
  return status >= 400 ? 'waiting' : 'good';
}
