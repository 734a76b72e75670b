import { Outlet } from 'react-router';
import { Notices } from '../ui/index.js';
import { Brand } from './brand.js';
import classes from './auth-layout.module.css';
import { ThemeSwitch } from './theme-switch.js';

export function AuthLayout() {
  return (
    <div className={classes.root}>
      <header className={classes.bar}>
        <Brand />
        <ThemeSwitch />
      </header>
      <main className={classes.main}>
        <Outlet />
      </main>
      <Notices />
    </div>
  );
}
