import { Anchor, Group, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './overview.module.css';

export interface PanelProps {
  title: string;
  /** Where there is more about it. */
  more?: { to: string; label: string };
  children: ReactNode;
}

/** One thing that the overview tells of. */
export function Panel({ title, more, children }: PanelProps) {
  const id = useId();
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <Group justify="space-between" gap="xs" mb="sm">
        <Title order={2} size="h5" id={id}>
          {title}
        </Title>
        {more && (
          <Anchor component={Link} to={more.to} size="sm">
            {more.label}
          </Anchor>
        )}
      </Group>
      {children}
    </section>
  );
}
