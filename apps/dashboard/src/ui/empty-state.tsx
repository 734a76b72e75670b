import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

export interface EmptyStateProps {
  /** An icon of @tabler/icons-react, size 28. */
  icon?: ReactNode;
  /** For example "No API keys yet". */
  title: string;
  /** Explains the missing objects and how to create one. */
  children: ReactNode;
  action?: ReactNode;
}

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
