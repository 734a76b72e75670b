import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

export interface EmptyStateProps {
  /** An icon of @tabler/icons-react, size 28. */
  icon?: ReactNode;
  /** What is not there: "No API keys yet". */
  title: string;
  /** What such a thing is, why there is none, what to do. */
  children: ReactNode;
  /** The button or the command that does it. */
  action?: ReactNode;
}

/** What stands where something will be. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" className={classes.root}>
      {icon && (
        <div className={classes.icon} aria-hidden>
          {icon}
        </div>
      )}
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" size="sm" component="div" className={classes.text}>
        {children}
      </Text>
      {action && <div className={classes.action}>{action}</div>}
    </Stack>
  );
}
