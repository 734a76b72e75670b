import { Alert, Group } from '@mantine/core';
import { IconClockExclamation } from '@tabler/icons-react';
import type { Api } from '../api/index.js';
import { StateBadge, useNow, When } from '../ui/index.js';
import { keyState } from './key-expiry.js';

export function KeyExpiry({ apiKey }: { apiKey: Pick<Api.ApiKey, 'expiresAt' | 'revokedAt'> }) {
  const state = keyState(apiKey, useNow());
  if (state === 'revoked') return <StateBadge state="revoked" tone="quiet" />;
  if (state === 'expired') return <StateBadge state="expired" tone="bad" />;
  if (state === 'active') return <When at={apiKey.expiresAt} />;
  return (
    <Group gap="xs">
      <StateBadge state="ending" tone="waiting" label="soon" />
      <When at={apiKey.expiresAt} />
    </Group>
  );
}

/** Warns of keys that expire soon: their users get no warning. */
export function EndingKeys({ keys }: { keys: Api.ApiKey[] }) {
  const now = useNow();
  const ending = keys.filter((key) => keyState(key, now) === 'ending');
  if (ending.length === 0) return null;
  const names = new Intl.ListFormat('en').format(ending.map(({ name }) => name));
  return (
    <Alert
      color="yellow"
      variant="default"
      icon={<IconClockExclamation aria-hidden />}
      title={ending.length === 1 ? 'A key expires soon' : `${ending.length} keys expire soon`}
    >
      {names}: create a new key, use it in place of the old one, and revoke the old one when “Last used” stands still.
    </Alert>
  );
}
