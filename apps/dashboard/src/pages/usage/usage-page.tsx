import { Progress, Stack, Text, Title } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { useApi, type Api } from '../../api/index.js';
import { count, share } from '../../charts/index.js';
import { ChoiceFilter, FilterBar, useFilters } from '../../filters/index.js';
import { ProviderName, useProviders } from '../../providers/index.js';
import { DataTable, EmptyState, Page, When, type Column } from '../../ui/index.js';

const RULES = { providerType: 'text', cause: 'text', days: 'text' } as const;
const EVERY_MS = 60_000;
const DAYS = ['1', '7', '30'];
const CAUSES: Record<string, string> = {
  call: 'Calls of applications',
  connect: 'Connected accounts',
  sync: 'Reads for changes',
  channel: 'Notification channels',
  check: 'Credential checks',
};

export default function UsagePage() {
  const { filters, isFiltered, change, clear } = useFilters(RULES);
  const { all } = useProviders();
  const days = DAYS.includes(filters.days ?? '') ? filters.days : '7';
  const usage = useApi<Api.InstallationUsage>('/usage', { days }, { refetchInterval: EVERY_MS, keepPrevious: true });
  const requests = usage.data?.requests.filter(
    ({ providerType, cause }) =>
      (filters.providerType === undefined || providerType === filters.providerType) &&
      (filters.cause === undefined || cause === filters.cause),
  );
  return (
    <Page
      title="Usage"
      description="Requests that the service sends to providers: for applications, and in the background. Days are in UTC."
    >
      <Stack gap="xl">
        <section aria-labelledby="limits">
          <Title order={2} size="h4" id="limits" mb="sm">
            Daily limits and reads of unchanged calendars
          </Title>
          <DataTable
            label="Daily limits and reads of unchanged calendars"
            columns={PLAN_COLUMNS}
            rows={usage.data?.plans}
            rowKey={({ providerType, quotaOwner }) => `${providerType} ${quotaOwner}`}
            error={usage.error}
            onRetry={() => void usage.refetch()}
            empty={
              <EmptyState icon={<IconGauge size={28} />} title="No limits yet">
                The worker plans every minute. A plan appears with the first calendar whose provider sends
                notifications.
              </EmptyState>
            }
          />
        </section>
        <section aria-labelledby="requests">
          <Title order={2} size="h4" id="requests" mb="sm">
            Requests by day
          </Title>
          <FilterBar isFiltered={isFiltered} onClear={clear}>
            <ChoiceFilter
              label="Provider"
              any="All providers"
              value={filters.providerType}
              onChange={(providerType) => change({ providerType })}
              options={all.map(({ type, label }) => ({ value: type, label }))}
            />
            <ChoiceFilter
              label="Cause"
              any="All causes"
              value={filters.cause}
              onChange={(cause) => change({ cause })}
              options={Object.entries(CAUSES).map(([value, label]) => ({ value, label }))}
            />
            <ChoiceFilter
              label="Days"
              any="Last 7 days"
              value={filters.days}
              onChange={(value) => change({ days: value })}
              options={[
                { value: '1', label: 'Today' },
                { value: '30', label: 'Last 30 days' },
              ]}
            />
          </FilterBar>
          <DataTable
            label="Requests by day"
            columns={REQUEST_COLUMNS}
            rows={requests}
            rowKey={({ date, providerType, project, cause }) => `${date} ${providerType} ${project} ${cause}`}
            error={usage.error}
            onRetry={() => void usage.refetch()}
            empty={
              <EmptyState
                icon={<IconGauge size={28} />}
                title={isFiltered ? 'No requests match these filters' : 'No requests yet'}
              >
                Every request to a provider is counted here within a minute.
              </EmptyState>
            }
          />
        </section>
      </Stack>
    </Page>
  );
}

const PLAN_COLUMNS: Column<Api.ReadingPlan>[] = [
  { header: 'Provider', cell: ({ providerType }) => <ProviderName type={providerType} /> },
  { header: 'Project or server', isRowHeader: true, cell: ({ quotaOwner }) => quotaOwner || 'none' },
  { header: 'Last 24 hours', cell: (plan) => <Used {...plan} /> },
  { header: 'Calendars', align: 'end', cell: ({ calendars }) => count(calendars) },
  { header: 'Read within 9 min', align: 'end', cell: ({ near }) => count(near) },
  {
    header: 'Others within',
    align: 'end',
    cell: ({ calendars, near, othersEverySeconds }) =>
      calendars === near ? '–' : `${Math.ceil(othersEverySeconds / 60)} min`,
  },
  {
    header: 'Polled within',
    align: 'end',
    cell: ({ polledEverySeconds }) =>
      polledEverySeconds === null ? '1 min' : `${Math.ceil(polledEverySeconds / 60)} min`,
  },
  { header: 'Planned', cell: ({ plannedAt }) => <When at={plannedAt} never="never" /> },
];

const REQUEST_COLUMNS: Column<Api.ProjectRequests>[] = [
  { header: 'Day', isRowHeader: true, cell: ({ date }) => date },
  { header: 'Provider', cell: ({ providerType }) => <ProviderName type={providerType} /> },
  { header: 'Project', cell: ({ project }) => project || '–' },
  { header: 'Cause', cell: ({ cause }) => CAUSES[cause] ?? cause },
  { header: 'Requests', align: 'end', cell: ({ requests }) => count(requests) },
];

function Used({ requestsUsed, requestsPerDay, quotaOwner }: Api.ReadingPlan) {
  if (requestsPerDay === null) return <Text size="sm">{count(requestsUsed)}</Text>;
  const part = requestsUsed / requestsPerDay;
  return (
    <>
      <Text size="sm">
        {count(requestsUsed)} of {count(requestsPerDay)} ({share(requestsUsed, requestsPerDay)})
      </Text>
      <Progress
        aria-label={`Daily requests of ${quotaOwner} used`}
        value={Math.min(100, part * 100)}
        color={part > 1 ? 'red' : part > 0.9 ? 'yellow' : 'blue'}
      />
    </>
  );
}
