import { Anchor, Button } from '@mantine/core';
import { IconCalendarUser } from '@tabler/icons-react';
import { Link } from 'react-router';
import { segment, type Api } from '../../api/index.js';
import { ApplicationFilter, ChoiceFilter, choices, FilterBar, TextFilter, useFilters } from '../../filters/index.js';
import { ProviderName, useProviders } from '../../providers/index.js';
import { DataTable, EmptyState, Page, StateBadge, usePagedList, When, type Column } from '../../ui/index.js';
import { STATUS_NAMES } from './account-names.js';

const FILTERS = {
  search: 'text',
  applicationId: 'text',
  providerType: 'text',
  status: ['ACTIVE', 'EXPIRED'],
} as const satisfies Record<keyof NonNullable<Api.ListAccountsData['query']>, unknown>;

const COLUMNS: Column<Api.AccountSummary>[] = [
  {
    header: 'Account',
    isRowHeader: true,
    cell: ({ id, email }) => (
      <Anchor component={Link} to={`/accounts/${segment(id)}`} inherit>
        {email}
      </Anchor>
    ),
  },
  { header: 'Provider', cell: ({ providerType }) => <ProviderName type={providerType} /> },
  { header: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
  { header: 'Since', cell: ({ changedAt }) => <When at={changedAt} /> },
  { header: 'Application', cell: ({ applicationName }) => applicationName },
  { header: 'externalId', isMinor: true, cell: ({ externalId }) => externalId ?? '' },
  { header: 'Connected', isMinor: true, cell: ({ createdAt }) => <When at={createdAt} /> },
];

export default function AccountsPage() {
  const { all: providers } = useProviders();
  const { filters, isFiltered, change, clear } = useFilters(
    providers.length === 0 ? FILTERS : { ...FILTERS, providerType: providers.map(({ type }) => type) },
  );
  const accounts = usePagedList<Api.AccountSummary>('/accounts', filters);
  return (
    <Page title="Accounts" description="The calendar accounts that users have connected, of every application.">
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <TextFilter
          label="Search"
          type="search"
          placeholder="Address, account id, externalId"
          value={filters.search}
          onChange={(search) => change({ search })}
        />
        <ApplicationFilter value={filters.applicationId} onChange={(applicationId) => change({ applicationId })} />
        <ChoiceFilter
          label="Provider"
          any="All providers"
          options={providers.map(({ type, label }) => ({ value: type, label }))}
          value={filters.providerType}
          onChange={(providerType) => change({ providerType })}
        />
        <ChoiceFilter
          label="Status"
          any="Any status"
          options={choices(STATUS_NAMES)}
          value={filters.status}
          onChange={(status) => change({ status })}
        />
      </FilterBar>
      <DataTable
        {...accounts}
        label="Accounts"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        expectedRows={10}
        empty={isFiltered ? <NothingFound onClear={clear} /> : <NoAccounts />}
      />
    </Page>
  );
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={<IconCalendarUser size={28} />}
      title="No account is like that"
      action={
        <Button variant="default" onClick={onClear}>
          Show all accounts
        </Button>
      }
    >
      The search takes a part of an address, or a whole account id or externalId. The other filters narrow it down.
    </EmptyState>
  );
}

function NoAccounts() {
  return (
    <EmptyState
      icon={<IconCalendarUser size={28} />}
      title="No accounts yet"
      action={
        <Button component={Link} to="/applications">
          Go to the applications
        </Button>
      }
    >
      An account appears here when a user of an application connects a calendar: by signing in at its provider, or with
      a password. Where users sign in, the application needs a client and a redirect URL first.
    </EmptyState>
  );
}
