import { Anchor, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconApps } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useApi, type Api } from '../../api/index.js';
import { useMayChange } from '../../session/index.js';
import { DataTable, EmptyState, Page, StateBadge, When, type Column } from '../../ui/index.js';
import { AppId } from './app-id.js';
import { sectionPath } from './application-frame.js';
import { CreateApplication } from './create-application.js';

const COLUMNS: Column<Api.Application>[] = [
  {
    header: 'Name',
    isRowHeader: true,
    cell: ({ id, name }) => (
      <Anchor component={Link} to={sectionPath(id, 'settings')} inherit>
        {name}
      </Anchor>
    ),
  },
  { header: 'APP_ID', cell: ({ id }) => <AppId id={id} /> },
  { header: 'Environment', cell: ({ environment }) => <StateBadge state={environment} /> },
  { header: 'Accounts', align: 'end', cell: ({ counts }) => counts.accounts.toLocaleString('en') },
  { header: 'Keys', align: 'end', cell: ({ counts }) => counts.apiKeys.toLocaleString('en') },
  {
    header: 'Subscriptions',
    align: 'end',
    isMinor: true,
    cell: ({ counts }) => counts.subscriptions.toLocaleString('en'),
  },
  { header: 'Created', isMinor: true, cell: ({ createdAt }) => <When at={createdAt} /> },
];

export default function ApplicationsPage() {
  const { data, error, refetch } = useApi<Api.ApplicationList>('/applications');
  const [isCreating, creating] = useDisclosure(false);
  const mayChange = useMayChange();
  const create = mayChange && <Button onClick={creating.open}>Create an application</Button>;
  return (
    <Page
      title="Applications"
      description="Each application has its own keys, its own accounts, and sees nothing of the others."
      actions={data?.data.length !== 0 && create}
    >
      <DataTable
        label="Applications"
        columns={COLUMNS}
        rows={data?.data}
        rowKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <EmptyState icon={<IconApps size={28} />} title="No applications yet" action={create}>
            An application is a program of yours that works with calendars. It gets an APP_ID and keys, and its users
            connect their calendar accounts to it.
            {!mayChange && ' An admin creates it.'}
          </EmptyState>
        }
      />
      <CreateApplication isOpen={isCreating} onClose={creating.close} />
    </Page>
  );
}
