import { Anchor, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Api } from '../../api/index.js';
import { count, share } from '../../charts/index.js';
import { filteredPath } from '../../filters/index.js';
import { ProviderName, useProviders } from '../../providers/index.js';
import { StateBadge, When } from '../../ui/index.js';
import { accountsOf } from './totals.js';
import classes from './overview.module.css';

/** Placeholder rows while loading. */
const EXPECTED_PROVIDERS = 4;
const EXPECTED_QUEUES = 6;

export function AccountsTable({ accounts }: { accounts: NonNullable<Api.Overview['accounts']> | undefined }) {
  const { all } = useProviders();
  return (
    <Numbers label="Accounts by provider and status" head={['Provider', 'Active', 'Expired']}>
      {all.length === 0 && <Expected rows={EXPECTED_PROVIDERS} />}
      {all.map(({ type: providerType, label }) => (
        <Table.Tr key={providerType}>
          <Table.Th scope="row">
            <ProviderName type={providerType} />
          </Table.Th>
          {(['ACTIVE', 'EXPIRED'] as Api.AccountStatus[]).map((status) => (
            <Table.Td key={status} ta="end">
              <Linked
                value={accounts && accountsOf(accounts, providerType, status)}
                to={filteredPath('/accounts', { providerType, status })}
                label={`${label}, ${status.toLowerCase()}`}
              />
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Numbers>
  );
}

export function ProvidersTable({ providers }: { providers: readonly Api.ProviderHealth[] | undefined }) {
  const { all } = useProviders();
  return (
    <Numbers label="Health of providers" head={['Provider', 'State', 'Requests', 'Failed', 'Last failure']}>
      {all.length === 0 && <Expected rows={EXPECTED_PROVIDERS} />}
      {all.map(({ type: providerType }) => {
        const health = providers?.find((one) => one.providerType === providerType);
        return (
          <Table.Tr key={providerType}>
            <Table.Th scope="row">
              <ProviderName type={providerType} />
            </Table.Th>
            <Table.Td ta="end">{health ? <StateBadge state={health.state} /> : '…'}</Table.Td>
            <Table.Td ta="end">{health ? count(health.requests) : '…'}</Table.Td>
            <Table.Td ta="end">
              {health ? count(health.failures) : '…'}
              {health && health.failures > 0 && ` (${share(health.failures, health.requests)})`}
            </Table.Td>
            <Table.Td ta="end">{health ? <When at={health.lastFailureAt} never="none" /> : '…'}</Table.Td>
          </Table.Tr>
        );
      })}
    </Numbers>
  );
}

export function QueuesTable({ queues }: { queues: readonly Api.Queue[] | undefined }) {
  return (
    <Numbers label="Depth of queues" head={['Queue', 'Waiting', 'Active', 'Delayed', 'Failed']}>
      {queues === undefined && <Expected rows={EXPECTED_QUEUES} />}
      {queues?.map(({ name, waiting, active, delayed, failed }) => (
        <Table.Tr key={name}>
          <Table.Th scope="row">{name}</Table.Th>
          <Table.Td ta="end">{count(waiting)}</Table.Td>
          <Table.Td ta="end">{count(active)}</Table.Td>
          <Table.Td ta="end">{count(delayed)}</Table.Td>
          <Table.Td ta="end">
            <Linked
              value={failed}
              to={filteredPath('/failed-jobs', { queue: name })}
              label={`failed jobs of ${name}`}
            />
          </Table.Td>
        </Table.Tr>
      ))}
    </Numbers>
  );
}

function Expected({ rows }: { rows: number }) {
  return Array.from({ length: rows }, (_, at) => (
    <Table.Tr key={at}>
      <Table.Th scope="row">…</Table.Th>
    </Table.Tr>
  ));
}

/** Scrolls within itself when too narrow. Scrolling by keyboard requires focus. */
function Numbers({ label, head, children }: { label: string; head: string[]; children: ReactNode }) {
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={label}>
      <Table aria-label={label} verticalSpacing={6} horizontalSpacing="xs" tabularNums className={classes.numbers}>
        <Table.Thead>
          <Table.Tr>
            {head.map((title, at) => (
              <Table.Th key={title} scope="col" ta={at === 0 ? 'start' : 'end'}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </div>
  );
}

/** A number with a link to the counted objects. */
function Linked({ value, to, label }: { value: number | undefined; to: string; label: string }) {
  if (value === undefined) return '…';
  if (value === 0) {
    return (
      <Text span size="sm" c="dimmed">
        0
      </Text>
    );
  }
  return (
    <Anchor component={Link} to={to} size="sm" aria-label={`${count(value)}: ${label}`}>
      {count(value)}
    </Anchor>
  );
}
