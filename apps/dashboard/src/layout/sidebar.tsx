import { ActionIcon, Group, NavLink, Text, Tooltip } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { Link, useLocation } from 'react-router';
import { api, endSession, useChange } from '../api/index.js';
import { useOperator } from '../session/index.js';
import { ErrorNote } from '../ui/index.js';
import { FindById } from './find-by-id.js';
import { NAVIGATION } from './navigation.js';
import classes from './sidebar.module.css';
import { ThemeSwitch } from './theme-switch.js';

export function Sidebar({ onNavigate }: { onNavigate?: () => void }) {
  const { pathname } = useLocation();
  const operator = useOperator();
  const signOut = useChange(() => api.delete('/session'), { onDone: endSession });
  return (
    <div className={classes.root}>
      <FindById onFound={onNavigate} />
      <nav aria-label="Pages" className={classes.nav}>
        {NAVIGATION.map(({ label, destinations }) => (
          <section key={label} aria-label={label}>
            <Text size="xs" c="dimmed" fw={600} className={classes.group} aria-hidden>
              {label}
            </Text>
            {destinations.map(({ to, label: name, icon: Sign }) => {
              const isHere = to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`);
              return (
                <NavLink
                  key={to}
                  component={Link}
                  to={to}
                  label={name}
                  leftSection={<Sign size={18} stroke={1.6} aria-hidden />}
                  active={isHere}
                  aria-current={isHere ? 'page' : undefined}
                  onClick={onNavigate}
                  className={classes.link}
                />
              );
            })}
          </section>
        ))}
      </nav>
      <div className={classes.foot}>
        <ErrorNote error={signOut.error} title="You are still signed in" />
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Link to="/profile" onClick={onNavigate} className={classes.operator}>
            <Text size="sm" fw={600} truncate>
              {operator.name}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {operator.role === 'admin' ? 'Admin' : 'Viewer'} · {operator.email}
            </Text>
          </Link>
          <Tooltip label="Sign out">
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label="Sign out"
              loading={signOut.isPending}
              onClick={() => signOut.mutate()}
            >
              <IconLogout size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Group>
        <ThemeSwitch />
      </div>
    </div>
  );
}
