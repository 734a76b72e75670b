import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Api } from '../../api/index.js';
import { count, seconds, share } from '../../charts/index.js';
import { filteredPath } from '../../filters/index.js';
import classes from './overview.module.css';
import { accountTotals, failedJobs, requestTotals } from './totals.js';

/** The API counts no further. */
const MAX_PENDING = 10_000;
const MAX_FAILED = 5_000;
/** Seconds. Messages normally leave within two seconds. */
const LATE = 60;

export function KeyStats({ overview }: { overview: Api.Overview | undefined }) {
  const accounts = overview?.accounts && accountTotals(overview.accounts);
  const requests = overview?.requests && requestTotals(overview.requests.buckets);
  const deliveries = overview?.deliveries;
  const queues = overview?.queues;
  return (
    <dl className={classes.keys}>
      <Key
        name="Active accounts"
        to={filteredPath('/accounts', { status: 'ACTIVE' })}
        value={accounts && count(accounts.active)}
      />
      <Key
        name="Expired accounts"
        to={filteredPath('/accounts', { status: 'EXPIRED' })}
        value={accounts && count(accounts.expired)}
        isBad={Boolean(accounts && accounts.expired > 0)}
        note="have to be reconnected"
      />
      <Key
        name="Requests"
        to="/requests"
        value={requests && count(requests.all)}
        note={requests ? `in an hour, ${share(requests.failed, requests.all)} failed` : 'in an hour'}
        isBad={Boolean(requests && requests.failed > 0)}
      />
      <Key
        name="Delivery lag"
        to={filteredPath('/messages', { state: 'pending' })}
        value={deliveries && (deliveries.lagSeconds === null ? 'none' : seconds(deliveries.lagSeconds))}
        note={deliveries ? `${capped(deliveries.pending, MAX_PENDING)} waiting` : 'waiting'}
        isBad={Boolean(deliveries && (deliveries.lagSeconds ?? 0) >= LATE)}
      />
      <Key
        name="Failed messages"
        to={filteredPath('/messages', { state: 'failed' })}
        value={deliveries && capped(deliveries.failedLastDay, MAX_FAILED)}
        note="in a day"
        isBad={Boolean(deliveries && deliveries.failedLastDay > 0)}
      />
      <Key
        name="Failed jobs"
        to="/failed-jobs"
        value={queues && count(failedJobs(queues))}
        note="for good"
        isBad={Boolean(queues && failedJobs(queues) > 0)}
      />
    </dl>
  );
}

interface KeyProps {
  name: string;
  to: string;
  /** undefined while loading; null when unavailable. */
  value: string | null | undefined;
  note?: ReactNode;
  isBad?: boolean;
}

function Key({ name, to, value, note, isBad = false }: KeyProps) {
  return (
    <div className={classes.key} data-bad={isBad || undefined}>
      <dt>
        <Anchor component={Link} to={to} size="sm">
          {name}
        </Anchor>
      </dt>
      <dd>
        <span className={classes.value}>{value ?? (value === null ? '?' : '…')}</span>
        <Text size="xs" c="dimmed" className={classes.note}>
          {note}
        </Text>
      </dd>
    </div>
  );
}

const capped = (value: number, most: number): string => (value >= most ? `${count(most)} or more` : count(value));
