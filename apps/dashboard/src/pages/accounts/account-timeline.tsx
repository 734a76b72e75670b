import { Anchor, Button, Code, Group, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { segment, useApi, type Api } from '../../api/index.js';
import { filteredPath } from '../../filters/index.js';
import { DataTable, EmptyState, Panel, StateBadge, When, type Column, type Tone } from '../../ui/index.js';
import { useCalendars } from './use-calendars.js';

const KINDS: Record<Api.TimelineEntry['kind'], { label: string; tone: Tone }> = {
  connected: { label: 'connected', tone: 'good' },
  recovered: { label: 'works again', tone: 'good' },
  expired: { label: 'expired', tone: 'bad' },
  refreshed: { label: 'token refreshed', tone: 'quiet' },
  checked: { label: 'checked', tone: 'quiet' },
  rejected: { label: 'password rejected', tone: 'waiting' },
  notified: { label: 'change reported', tone: 'quiet' },
  synced: { label: 'synced', tone: 'quiet' },
  message: { label: 'message', tone: 'quiet' },
};
const SHORT = 12;

export function AccountTimeline({ account }: { account: Api.AccountDetail }) {
  const timeline = useApi<Api.AccountTimeline>(`/accounts/${segment(account.id)}/timeline`);
  const calendars = useCalendars(account);
  const [isShort, setShort] = useState(true);
  const entries = timeline.data?.data;
  const titles = new Map(calendars.data?.data.map(({ id, title }) => [id, title]));
  const columns: Column<Api.TimelineEntry>[] = [
    { header: 'What', isRowHeader: true, cell: ({ kind }) => <StateBadge state={kind} {...KINDS[kind]} /> },
    { header: 'When', cell: ({ at }) => <When at={at} /> },
    { header: 'Calendar', cell: ({ calendarId }) => calendarId !== null && (titles.get(calendarId) ?? calendarId) },
    { header: 'Details', cell: (entry) => <Details {...entry} /> },
  ];
  return (
    <Panel title="Timeline">
      <Text size="sm" c="dimmed" mb="sm">
        Of token refreshes, checks, reported changes and syncs, the last one is stored.{' '}
        <Anchor component={Link} to={filteredPath('/messages', { accountId: account.id })} inherit>
          All messages
        </Anchor>
      </Text>
      <DataTable
        label="Timeline"
        columns={columns}
        rows={isShort ? entries?.slice(0, SHORT) : entries}
        rowKey={({ at, kind, calendarId, message }) => [at, kind, calendarId, message?.id].join(' ')}
        error={timeline.error}
        onRetry={() => void timeline.refetch()}
        empty={
          <EmptyState icon={<IconHistory size={28} />} title="Nothing is stored yet">
            The next change of its status is stored, and every message of its subscriptions.
          </EmptyState>
        }
      />
      {isShort && entries !== undefined && entries.length > SHORT && (
        <Button variant="default" mt="sm" onClick={() => setShort(false)}>
          Show all {entries.length}
        </Button>
      )}
    </Panel>
  );
}

function Details({ reason, message }: Api.TimelineEntry) {
  if (reason !== null) return <Code>{reason}</Code>;
  if (message === null) return null;
  return (
    <Group component="span" gap="sm">
      <Anchor component={Link} to={`/messages/${segment(message.id)}`} inherit>
        {message.eventType}
      </Anchor>
      <StateBadge state={message.state} />
    </Group>
  );
}
