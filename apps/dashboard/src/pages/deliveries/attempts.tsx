import { Code, Group, Stack, Text, Title } from '@mantine/core';
import type { Api } from '../../api/index.js';
import { milliseconds } from '../../charts/index.js';
import { StateBadge, When } from '../../ui/index.js';
import { attemptName, attemptState } from './attempt-state.js';
import classes from './deliveries.module.css';
import { whyFailed } from './explanations.js';

export function Attempts({ log }: { log: readonly Api.Attempt[] }) {
  if (log.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None yet: the first one is made when the message is due.
      </Text>
    );
  }
  return (
    <ol className={classes.attempts} reversed>
      {log.toReversed().map((attempt) => (
        <li key={`${attempt.number} ${attempt.startedAt}`} className={classes.panel}>
          <Attempt attempt={attempt} />
        </li>
      ))}
    </ol>
  );
}

function Attempt({ attempt }: { attempt: Api.Attempt }) {
  const { startedAt, durationMs, nextAttemptAt, requestHeaders, responseText } = attempt;
  const name = attemptName(attempt);
  const explanation = whyFailed(attempt);
  return (
    <Stack gap="xs">
      <Group gap="xs" justify="space-between">
        <Group gap="sm">
          <Title order={3} size="h6">
            {name}
          </Title>
          <StateBadge {...attemptState(attempt)} />
        </Group>
        <Text size="sm" c="dimmed" component="div">
          <When at={startedAt} isLong />
          {durationMs !== null && `, took ${milliseconds(durationMs)}`}
        </Text>
      </Group>
      {explanation && (
        <Text size="sm">
          {explanation.what} {explanation.todo}
        </Text>
      )}
      {nextAttemptAt !== null && (
        <Text size="sm" component="div">
          The next one was set to <When at={nextAttemptAt} isLong />.
        </Text>
      )}
      {responseText !== null && responseText !== '' && (
        <div>
          <Text size="sm" c="dimmed">
            What the receiver answered, its first KiB
          </Text>
          <Code block className={classes.text} tabIndex={0} role="group" aria-label={`Answer to ${name}`}>
            {responseText}
          </Code>
        </div>
      )}
      {Object.keys(requestHeaders).length > 0 && (
        <details className={classes.headers}>
          <summary>Headers that were sent</summary>
          <Code block className={classes.text} tabIndex={0} role="group" aria-label={`Headers of ${name}`}>
            {Object.entries(requestHeaders)
              .map(([header, value]) => `${header}: ${value}`)
              .join('\n')}
          </Code>
          <Text size="xs" c="dimmed">
            Time and signature were new with this attempt; they are not kept.
          </Text>
        </details>
      )}
    </Stack>
  );
}
