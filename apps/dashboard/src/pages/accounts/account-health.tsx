import { Code, Stack, Text } from '@mantine/core';
import type { Api } from '../../api/index.js';
import { useProviders } from '../../providers/index.js';
import { Facts, Panel, StateBadge, When } from '../../ui/index.js';
import { CheckNow } from './check-now.js';
import { nextStep } from './next-step.js';
import { ReconnectLink } from './reconnect-link.js';

export function AccountHealth({ account, mayChange }: { account: Api.AccountDetail; mayChange: boolean }) {
  const { status, providerType, health } = account;
  const authentication = useProviders().find(providerType)?.authentication;
  const step = nextStep(account, authentication);
  return (
    <Panel title="Health">
      <Stack gap="sm">
        <Failure account={account} />
        {step !== null && <Text size="sm">{step}</Text>}
        <Facts
          facts={{
            'Last checked': <When at={health.checkedAt} never="not yet" isLong />,
            // Expired accounts are not checked.
            ...(status === 'ACTIVE' && {
              'Next check': <When at={health.nextCheckAt} never="not planned" isLong />,
            }),
          }}
        />
        {status === 'ACTIVE' && mayChange && <CheckNow accountId={account.id} />}
        {authentication === 'oauth' && mayChange && (
          <ReconnectLink accountId={account.id} isNeeded={status === 'EXPIRED'} />
        )}
      </Stack>
    </Panel>
  );
}

function Failure({ account: { status, health } }: { account: Api.AccountDetail }) {
  const { lastFailure } = health;
  if (lastFailure === null) {
    return status === 'ACTIVE' ? (
      <StateBadge state="ok" label="No known problems." />
    ) : (
      <StateBadge state="EXPIRED" label="It has stopped working. The reason was not stored." />
    );
  }
  return (
    <div>
      <Text fw={500} data-testid="last-failure">
        {lastFailure.explanation}
      </Text>
      <Text size="sm" c="dimmed">
        <Code>{lastFailure.reason}</Code> <When at={lastFailure.at} />
      </Text>
    </div>
  );
}
