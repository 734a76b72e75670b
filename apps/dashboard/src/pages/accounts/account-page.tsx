import { Anchor, Code, Group, List, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { segment, useApi, type Api } from '../../api/index.js';
import { filteredPath } from '../../filters/index.js';
import { useMayChange } from '../../session/index.js';
import { useProviders } from '../../providers/index.js';
import { CopyButton, ErrorNote, Facts, Page, Panel, StateBadge, When } from '../../ui/index.js';
import { AccountCalendars } from './account-calendars.js';
import { AccountHealth } from './account-health.js';
import { AccountTimeline } from './account-timeline.js';
import { DeleteAccount } from './delete-account.js';

export default function AccountPage() {
  const { accountId = '' } = useParams();
  const { data: account, error, refetch } = useApi<Api.AccountDetail>(`/accounts/${segment(accountId)}`);
  const mayChange = useMayChange();
  const providers = useProviders();
  return (
    <Page
      title={account?.email ?? 'Account'}
      badge={account && <StateBadge state={account.status} />}
      back={{ to: '/accounts', label: 'Accounts' }}
      description={account && `${providers.labelOf(account.providerType)}, for ${account.applicationName}`}
    >
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {account ? (
        <Stack gap="lg">
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
            <AccountHealth account={account} mayChange={mayChange} />
            <AccountFacts account={account} />
          </SimpleGrid>
          <AccountTimeline account={account} />
          <AccountCalendars account={account} />
          {mayChange && <DeleteAccount account={account} />}
        </Stack>
      ) : (
        !error && <Skeleton height={480} />
      )}
    </Page>
  );
}

function AccountFacts({ account }: { account: Api.AccountDetail }) {
  const { id, applicationId, applicationName, externalId, serverUrl, scopes, subscriptions, createdAt } = account;
  return (
    <Panel title="Details">
      <Facts
        facts={{
          'Account id': (
            <Group component="span" gap={4}>
              <Code>{id}</Code>
              <CopyButton value={id} label="Copy account id" />
            </Group>
          ),
          Application: (
            <Anchor component={Link} to={`/applications/${segment(applicationId)}`} size="sm">
              {applicationName}
            </Anchor>
          ),
          externalId: externalId ?? 'none',
          Connected: <When at={createdAt} isLong />,
          Subscriptions: (
            <Anchor component={Link} to={filteredPath('/endpoints', { accountId: id })} size="sm">
              {subscriptions.toLocaleString('en')}
            </Anchor>
          ),
          Requests: (
            <Anchor component={Link} to={filteredPath('/requests', { accountId: id })} size="sm">
              in the request log
            </Anchor>
          ),
          ...(serverUrl !== null && { Server: serverUrl }),
          ...(scopes.length > 0 && { 'Granted scopes': <Scopes scopes={scopes} /> }),
        }}
      />
    </Panel>
  );
}

function Scopes({ scopes }: { scopes: string[] }) {
  return (
    <List size="sm" listStyleType="none">
      {scopes.map((scope) => (
        <List.Item key={scope}>{scope}</List.Item>
      ))}
    </List>
  );
}
