import { Code, Group, Stack, Text } from '@mantine/core';
import type { Api } from '../../api/index.js';
import { Panel, StateBadge, When } from '../../ui/index.js';
import classes from './account-history.module.css';

export function AccountHistory({ history }: Pick<Api.AccountDetail, 'history'>) {
  return (
    <Panel title="History">
      {history.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing is written down yet. Its next change of status will be.
        </Text>
      ) : (
        <Stack component="ol" gap="xs" className={classes.history}>
          {history.map(({ at, status, reason }, index) => (
            <Group key={`${at} ${index}`} component="li" gap="sm">
              <StateBadge state={status} />
              {reason !== null && <Code>{reason}</Code>}
              <Text size="sm" c="dimmed" component="span">
                <When at={at} />
              </Text>
            </Group>
          ))}
        </Stack>
      )}
    </Panel>
  );
}
