import { Anchor, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { segment, useApi, type Api } from '../../api/index.js';
import { filteredPath } from '../../filters/index.js';
import { ErrorNote, Panel, StateBadge, When, type Tone } from '../../ui/index.js';
import classes from './account-timeline.module.css';
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

export function AccountTimeline({ account }: { account: Api.AccountDetail }) {
  const { data: timeline, error, refetch } = useApi<Api.AccountTimeline>(`/accounts/${segment(account.id)}/timeline`);
  const calendars = useCalendars(account);
  const titleOf = (calendarId: string) => calendars.data?.data.find(({ id }) => id === calendarId)?.title ?? calendarId;
  return (
    <Panel title="Timeline">
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {timeline === undefined && !error && <Skeleton height={160} />}
      {timeline?.data.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing is stored yet.
        </Text>
      )}
      {timeline !== undefined && timeline.data.length > 0 && (
        <Stack gap="sm">
          <Stack component="ol" gap="xs" className={classes.entries}>
            {timeline.data.map((entry, index) => (
              <Entry key={`${entry.at} ${index}`} entry={entry} titleOf={titleOf} />
            ))}
          </Stack>
          <Text size="sm" c="dimmed">
            Of refreshes, checks, reported changes and syncs, the last one is stored.{' '}
            <Anchor component={Link} to={filteredPath('/messages', { accountId: account.id })} inherit>
              All messages
            </Anchor>
          </Text>
        </Stack>
      )}
    </Panel>
  );
}

interface EntryProps {
  entry: Api.TimelineEntry;
  titleOf: (calendarId: string) => string;
}

function Entry({ entry: { at, kind, reason, calendarId, message }, titleOf }: EntryProps) {
  return (
    <Group component="li" gap="sm">
      <StateBadge state={kind} {...KINDS[kind]} />
      {reason !== null && <Code>{reason}</Code>}
      {message !== null && (
        <>
          <Anchor component={Link} to={`/messages/${segment(message.id)}`} size="sm">
            {message.eventType}
          </Anchor>
          <StateBadge state={message.state} />
        </>
      )}
      {calendarId !== null && <Text size="sm">{titleOf(calendarId)}</Text>}
      <Text size="sm" c="dimmed" component="span">
        <When at={at} />
      </Text>
    </Group>
  );
}
