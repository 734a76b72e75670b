import { Alert, Anchor, Group, Skeleton, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconMailForward } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { segment, useApi, type Api } from '../../api/index.js';
import { filteredPath } from '../../filters/index.js';
import { Facts } from '../../ui/facts.js';
import { CopyButton, EmptyState, ErrorNote, Page, StateBadge, When } from '../../ui/index.js';
import classes from './deliveries.module.css';
import { DeliveryStatsPanel } from './delivery-stats.js';
import { EndpointActions } from './endpoint-actions.js';
import { KIND_NAMES } from './endpoint-kind.js';
import { whyDisabled } from './explanations.js';
import { MessagesTable } from './messages-table.js';

const EVERY_MS = 10_000;
const BACK = { to: '/endpoints', label: 'Endpoints' };

export default function EndpointPage() {
  const { endpointId = '' } = useParams();
  const { data, error, refetch } = useApi<Api.EndpointSummary>(
    `/endpoints/${segment(endpointId)}`,
    {},
    { refetchInterval: EVERY_MS },
  );
  return (
    <Page
      title="Endpoint"
      back={BACK}
      badge={data && <StateBadge state={data.state} />}
      description={data && <EndpointUrl url={data.url} />}
      actions={data && <EndpointActions endpoint={data} />}
    >
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data ? <Endpoint endpoint={data} /> : !error && <Skeleton height={560} />}
    </Page>
  );
}

function Endpoint({ endpoint }: { endpoint: Api.EndpointSummary }) {
  return (
    <>
      <Trouble endpoint={endpoint} />
      <div className={classes.panel}>
        <Facts
          facts={{
            'Told of': KIND_NAMES[endpoint.kind],
            'Event types': endpoint.eventTypes.join(', '),
            Application: (
              <Anchor component={Link} to={`/applications/${segment(endpoint.applicationId)}`} inherit>
                {endpoint.applicationName}
              </Anchor>
            ),
            Calendar: <Calendar endpoint={endpoint} />,
            Rate: endpoint.rateLimit === null ? 'no limit' : `${endpoint.rateLimit} a second at most`,
            Made: <When at={endpoint.createdAt} isLong />,
          }}
        />
      </div>
      <DeliveryStatsPanel endpointId={endpoint.id} />
      <section aria-labelledby="messages">
        <Group justify="space-between" mb="xs">
          <Title order={2} size="h4" id="messages">
            Messages
          </Title>
          <Anchor
            component={Link}
            to={filteredPath('/messages', { endpointId: endpoint.id, state: 'failed' })}
            size="sm"
          >
            Those that failed
          </Anchor>
        </Group>
        <MessagesTable filters={{ endpointId: endpoint.id }} empty={<NoMessages />} />
      </section>
    </>
  );
}

function EndpointUrl({ url }: { url: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <span className={classes.url}>{url}</span>
      <CopyButton value={url} label="Copy URL" />
    </Group>
  );
}

function Trouble({ endpoint }: { endpoint: Api.EndpointSummary }) {
  if (endpoint.state === 'disabled') {
    const { what, todo } = whyDisabled(endpoint);
    return <Warning title="Nothing is sent to it" what={what} todo={todo} />;
  }
  if (endpoint.state === 'failing') {
    return (
      <Warning
        title="The last attempts failed"
        what={
          <>
            Nothing was delivered since <When at={endpoint.failingSince} isLong />. After five days it is disabled.
          </>
        }
        todo="Open one of the messages below: its attempts say what the receiver answered."
      />
    );
  }
  return null;
}

function Warning({ title, what, todo }: { title: string; what: ReactNode; todo: string }) {
  return (
    <Alert variant="default" icon={<IconAlertTriangle aria-hidden />} title={title}>
      <Text size="sm">{what}</Text>
      <Text size="sm">{todo}</Text>
    </Alert>
  );
}

function Calendar({ endpoint: { accountId, calendarId } }: { endpoint: Api.EndpointSummary }) {
  if (accountId === null) return 'none: it receives account events';
  return (
    <>
      {calendarId} of{' '}
      <Anchor component={Link} to={`/accounts/${segment(accountId)}`} inherit>
        this account
      </Anchor>
    </>
  );
}

function NoMessages() {
  return (
    <EmptyState icon={<IconMailForward size={28} />} title="No messages yet">
      Nothing changed since the endpoint was made. “Send test event” shows at once whether its receiver works.
    </EmptyState>
  );
}
