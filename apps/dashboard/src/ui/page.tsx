import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import classes from './page.module.css';

export interface PageProps {
  title: string;
  /** One or two sentences: what can be done here. */
  description?: ReactNode;
  /** Buttons. */
  actions?: ReactNode;
  /** Beside the title: a state, a role. */
  badge?: ReactNode;
  /** The page above this one. */
  back?: { to: string; label: string };
  children: ReactNode;
}

/** What every page begins with: the title (of the document as well), what the page is for, what can be done. */
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

/** The first page is read from its top; every further one from its heading, for whoever does not see it change. */
export function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname, key } = useLocation();
  // Other filters in the address are no other page: whoever sets one stays at it.
  const read = useRef(key === 'default' ? pathname : null);
  useEffect(() => {
    if (read.current === pathname) return;
    read.current = pathname;
    window.scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, [pathname]);
  return heading;
}
