import { Burger, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet } from 'react-router';
import { Notices } from '../ui/index.js';
import { Brand } from './brand.js';
import { ReauthenticationDialog } from './reauthentication-dialog.js';
import classes from './shell.module.css';
import { Sidebar } from './sidebar.js';

export function Shell() {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <div className={classes.root}>
      <a href="#content" className={classes.skip}>
        Skip to the content
      </a>
      <header className={classes.bar}>
        <Burger opened={isOpen} onClick={open} size="sm" aria-label="Open the navigation" aria-expanded={isOpen} />
        <Brand />
      </header>
      <div className={classes.side}>
        <Brand />
        <Sidebar />
      </div>
      <Drawer
        opened={isOpen}
        onClose={close}
        size="xs"
        title={<Brand />}
        closeButtonProps={{ 'aria-label': 'Close the navigation' }}
        classNames={{ body: classes.drawer, content: classes.drawerContent }}
      >
        <Sidebar onNavigate={close} />
      </Drawer>
      <main id="content" tabIndex={-1} className={classes.main}>
        <Outlet />
      </main>
      <Notices />
      <ReauthenticationDialog />
    </div>
  );
}
