import { Anchor, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useApi, type Api } from '../../api/index.js';
import { count, TimeChart } from '../../charts/index.js';
import { ErrorNote, Page } from '../../ui/index.js';
import { Panel } from '../../ui/panel.js';
import { AttemptsChart, DurationsChart, total } from '../deliveries/stats-charts.js';
import { KeyStats } from './key-stats.js';
import { Section } from './section.js';
import { AccountsTable, ProvidersTable, QueuesTable } from './tables.js';
import classes from './overview.module.css';

const EVERY_MS = 5_000;
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

export default function OverviewPage() {
  const [isLive, setLive] = useState(true);
  const { data, error, refetch } = useApi<Api.Overview>('/overview', {}, { refetchInterval: isLive && EVERY_MS });
  return (
    <Page
      title="Overview"
      description={
        <span className={classes.live}>
          {data ? `As of ${CLOCK.format(new Date(data.at))}` : 'Asking the service…'}
        </span>
      }
      actions={
        <Switch
          label="Live"
          checked={isLive}
          onChange={(event) => setLive(event.currentTarget.checked)}
          description="asks every 5 seconds"
        />
      }
    >
      {error && <ErrorNote error={error} title="The figures are not up to date" onRetry={() => void refetch()} />}
      <KeyStats overview={data} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Panel title="Requests in the last hour" badge={<More to="/requests">Request log</More>}>
          <Section of={data?.requests}>
            {(requests) => (
              <Stack gap="lg">
                <RequestsChart requests={requests} />
                <DurationsChart level={3} stats={requests} title="Request duration" empty="No requests in this hour." />
              </Stack>
            )}
          </Section>
        </Panel>
        <Panel title="Deliveries in the last hour" badge={<More to="/messages">Messages</More>}>
          <Section of={data?.deliveries}>
            {(deliveries) => (
              <Stack gap="lg">
                <AttemptsChart level={3} stats={deliveries} />
                <DurationsChart
                  level={3}
                  stats={deliveries}
                  title="Attempt duration"
                  empty="No attempts in this hour."
                />
              </Stack>
            )}
          </Section>
        </Panel>
        <Panel title="Accounts" badge={<More to="/accounts">All accounts</More>}>
          <Section of={data?.accounts}>{(accounts) => <AccountsTable accounts={accounts} />}</Section>
        </Panel>
        <Panel title="Providers in the last hour">
          <Section of={data?.providers}>{(providers) => <ProvidersTable providers={providers} />}</Section>
        </Panel>
      </SimpleGrid>
      <Panel title="Queues" badge={<More to="/failed-jobs">Failed jobs</More>}>
        <Section of={data?.queues}>{(queues) => <QueuesTable queues={queues} />}</Section>
      </Panel>
      <Text size="xs" c="dimmed">
        Times are those of this machine.
      </Text>
    </Page>
  );
}

function More({ to, children }: { to: string; children: string }) {
  return (
    <Anchor component={Link} to={to} size="sm">
      {children}
    </Anchor>
  );
}

function RequestsChart({
  requests,
}: {
  requests: { bucketSeconds: number; buckets: Api.RequestBucket[] } | undefined;
}) {
  const { bucketSeconds, buckets } = requests ?? { bucketSeconds: 60, buckets: [] };
  return (
    <TimeChart
      title="Responses"
      level={3}
      kind="bars"
      starts={buckets.map(({ at }) => at)}
      bucketSeconds={bucketSeconds}
      series={[
        { name: 'Success', tone: 'good', values: buckets.map(({ successes }) => successes) },
        { name: 'Client errors', tone: 'warning', values: buckets.map(({ clientErrors }) => clientErrors) },
        { name: 'Server errors', tone: 'bad', values: buckets.map(({ serverErrors }) => serverErrors) },
      ]}
      format={count}
      summary={total}
      empty="No requests in this hour."
    />
  );
}
