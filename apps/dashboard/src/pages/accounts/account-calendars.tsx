import { Badge, Group, Text } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import type { Api } from '../../api/index.js';
import { type Column, DataTable, EmptyState, Panel, StateBadge } from '../../ui/index.js';
import { useCalendars } from './use-calendars.js';

const CHANGE_DETECTION: Record<
  Api.AccountCalendar['changeDetection'],
  { label: string; tone: 'good' | 'waiting' | 'quiet' }
> = {
  none: { label: 'not subscribed to', tone: 'quiet' },
  pushed: { label: 'pushed by the provider', tone: 'good' },
  polled: { label: 'polled', tone: 'good' },
};

const COLUMNS: Column<Api.AccountCalendar>[] = [
  {
    header: 'Title',
    isRowHeader: true,
    cell: ({ title, isPrimary }) => (
      <Group component="span" gap="xs">
        <span>{title}</span>
        {isPrimary && <Badge variant="default">primary</Badge>}
      </Group>
    ),
  },
  { header: 'Access', cell: ({ isReadOnly }) => (isReadOnly ? 'read' : 'read, write') },
  { header: 'Time zone', isMinor: true, cell: ({ timeZone }) => timeZone ?? '' },
  {
    header: 'Watched',
    cell: ({ changeDetection }) => <StateBadge state={changeDetection} {...CHANGE_DETECTION[changeDetection]} />,
  },
];

export function AccountCalendars({ account }: { account: Api.AccountDetail }) {
  const calendars = useCalendars(account);
  return (
    <Panel title="Calendars">
      {account.status === 'ACTIVE' ? (
        <DataTable
          label="Calendars"
          columns={COLUMNS}
          rows={calendars.data?.data}
          rowKey={(calendar) => calendar.id}
          error={calendars.error}
          onRetry={() => void calendars.refetch()}
          expectedRows={3}
          empty={
            <EmptyState icon={<IconCalendar size={28} />} title="No calendars">
              The provider lists none for this account. Its user may have removed them all, or never opened a calendar.
            </EmptyState>
          }
        />
      ) : (
        <Text size="sm" c="dimmed">
          The provider shows them again when the account is connected again.
        </Text>
      )}
    </Panel>
  );
}
