import { Anchor, Button, Code, Group, TextInput } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { Api } from '../../api/index.js';
import { DataTable, EmptyState, Page, usePagedList, When, type Column } from '../../ui/index.js';

type AuditFilters = NonNullable<Api.ListAuditEntriesData['query']>;

const FILTERS = [
  { name: 'actor', label: 'By whom', placeholder: 'operator:ada@example.com' },
  { name: 'action', label: 'Action', placeholder: 'application.created' },
  { name: 'applicationId', label: 'APP_ID', placeholder: '' },
] as const satisfies {
  name: keyof AuditFilters;
  label: string;
  placeholder: string;
}[];

const COLUMNS: Column<Api.AuditEntry>[] = [
  { header: 'When', cell: ({ recordedAt }) => <When at={recordedAt} />, width: '8rem' },
  { header: 'By whom', cell: ({ actor }) => actor },
  { header: 'Action', cell: ({ action }) => <Code>{action}</Code>, isRowHeader: true },
  { header: 'On what', cell: ({ subject }) => subject },
  {
    header: 'Request',
    isMinor: true,
    cell: ({ requestId }) =>
      requestId === null ? (
        '–'
      ) : (
        <Anchor component={Link} size="sm" to={`/requests?${new URLSearchParams({ requestId }).toString()}`}>
          {requestId}
        </Anchor>
      ),
  },
];

export default function AuditPage() {
  const [search, setSearch] = useSearchParams();
  const filters: AuditFilters = Object.fromEntries(FILTERS.map(({ name }) => [name, search.get(name) ?? '']));
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const entries = usePagedList<Api.AuditEntry>('/audit', filters);
  return (
    <Page
      title="Audit log"
      description="Everything that changed who may do what and what was set: who did it, when, and in which request. Entries are never changed."
    >
      <Filters
        key={search.toString()}
        filters={filters}
        onApply={(chosen) => setSearch(Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== '')))}
      />
      <DataTable
        {...entries}
        label="Entries of the audit log"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        expectedRows={10}
        empty={
          <EmptyState
            icon={<IconHistory size={28} />}
            title={isFiltered ? 'Nothing of this kind was recorded' : 'Nothing was recorded yet'}
            action={isFiltered && <Button onClick={() => setSearch({})}>Show everything</Button>}
          >
            {isFiltered
              ? 'Filters have to match whole: the name of an action is written as in the list.'
              : 'Signing in, inviting an operator or creating an application leaves an entry here.'}
          </EmptyState>
        }
      />
    </Page>
  );
}

function Filters({ filters, onApply }: { filters: AuditFilters; onApply: (filters: AuditFilters) => void }) {
  const [draft, setDraft] = useState(filters);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onApply(draft);
  };
  return (
    <form onSubmit={submit} role="search" aria-label="Entries">
      <Group align="flex-end" gap="sm">
        {FILTERS.map(({ name, label, placeholder }) => (
          <TextInput
            key={name}
            label={label}
            placeholder={placeholder}
            value={draft[name] ?? ''}
            onChange={(event) => setDraft({ ...draft, [name]: event.currentTarget.value.trim() })}
          />
        ))}
        <Button type="submit" variant="default">
          Filter
        </Button>
      </Group>
    </form>
  );
}
