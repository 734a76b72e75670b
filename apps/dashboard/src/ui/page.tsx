import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import classes from './page.module.css';

export interface PageProps {
  title: string;
  /** One or two sentences on the purpose of the page. */
  description?: ReactNode;
  actions?: ReactNode;
  badge?: ReactNode;
  back?: { to: string; label: string };
  children: ReactNode;
}

export function Page({ title, description, actions, badge, back, children }: PageProps) {
  useDocumentTitle(title);
  const heading = useHeadingFocus();
  return (
    <Stack gap="lg">
      <header>
        {back && (
          <Anchor component={Link} to={back.to} size="sm" className={classes.back}>
            <IconArrowLeft size={14} aria-hidden /> {back.label}
          </Anchor>
        )}
        <Group justify="space-between" align="flex-start" gap="md">
          <div className={classes.heading}>
            <Group gap="sm">
              <Title order={1} size="h2" ref={heading} tabIndex={-1} className={classes.title}>
                {title}
              </Title>
              {badge}
            </Group>
            {description && (
              <Text c="dimmed" size="sm" component="div" className={classes.description}>
                {description}
              </Text>
            )}
          </div>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
      </header>
      {children}
    </Stack>
  );
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Unified Calendar`;
  }, [title]);
}

/** Moves the focus to the heading of every page but the first, for users who do not see the change. */
export function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname, key } = useLocation();
  // Changing filters in the URL does not count as another page.
  const read = useRef(key === 'default' ? pathname : null);
  useEffect(() => {
    if (read.current === pathname) return;
    read.current = pathname;
    window.scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, [pathname]);
  return heading;
}
