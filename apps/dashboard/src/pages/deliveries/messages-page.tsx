import { Anchor } from '@mantine/core';
import { IconMailForward } from '@tabler/icons-react';
import { Link } from 'react-router';
import {
  ApplicationFilter,
  ChoiceFilter,
  choices,
  FilterBar,
  TextFilter,
  TimeFilters,
  useFilters,
} from '../../filters/index.js';
import { EmptyState, Page } from '../../ui/index.js';
import { DeliveryStatsPanel } from './delivery-stats.js';
import { MessagesTable } from './messages-table.js';
import { ResendMessages } from './resend-messages.js';

const STATES = choices({ pending: 'Waiting', delivered: 'Delivered', failed: 'Failed' });
const RULES = {
  state: STATES.map(({ value }) => value),
  applicationId: 'text',
  endpointId: 'text',
  accountId: 'text',
  eventType: 'text',
  from: 'text',
  to: 'text',
} as const;

export default function MessagesPage() {
  const { filters, isFiltered, change, clear } = useFilters(RULES);
  const { applicationId, endpointId } = filters;
  return (
    <Page
      title="Messages"
      actions={<ResendMessages filters={filters} />}
      description="Messages to applications in the last 30 days, with their delivery attempts."
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <ChoiceFilter
          label="State"
          any="Any state"
          value={filters.state}
          onChange={(state) => change({ state })}
          options={STATES}
        />
        <ApplicationFilter value={filters.applicationId} onChange={(applicationId) => change({ applicationId })} />
        <TextFilter label="Endpoint id" value={filters.endpointId} onChange={(endpointId) => change({ endpointId })} />
        <TextFilter label="Account id" value={filters.accountId} onChange={(accountId) => change({ accountId })} />
        <TextFilter label="Event type" value={filters.eventType} onChange={(eventType) => change({ eventType })} />
        <TimeFilters {...filters} onChange={change} />
      </FilterBar>
      <DeliveryStatsPanel {...(applicationId && { applicationId })} {...(endpointId && { endpointId })} />
      <MessagesTable filters={filters} withEndpoint empty={<NoMessages isFiltered={isFiltered} />} />
    </Page>
  );
}

function NoMessages({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState icon={<IconMailForward size={28} />} title="No such message">
      There is none with these filters. Clear them to see all.
    </EmptyState>
  ) : (
    <EmptyState icon={<IconMailForward size={28} />} title="No messages yet">
      The service sends a message to an application when a calendar or an account changes that an{' '}
      <Anchor component={Link} to="/endpoints" inherit>
        endpoint
      </Anchor>{' '}
      subscribes to. A test event of an endpoint sends one at once.
    </EmptyState>
  );
}
