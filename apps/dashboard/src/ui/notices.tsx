import { Paper, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import classes from './notices.module.css';

const SHOWN_MS = 6_000;

interface Notice {
  id: number;
  text: string;
  isVisible: boolean;
}

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

function add(text: string, isVisible: boolean): void {
  const id = (lastId += 1);
  change([...notices, { id, text, isVisible }]);
  setTimeout(() => change(notices.filter((notice) => notice.id !== id)), SHOWN_MS);
}

/** Shows a success message to everyone, screen readers included. Errors belong in an `ErrorNote`. */
export function notify(text: string): void {
  add(text, true);
}

/** Notifies screen readers only. */
export function announce(text: string): void {
  add(text, false);
}

/** Rendered once in the layout: a live region must exist before its content changes. */
export function Notices() {
  const said = useSyncExternalStore(subscribe, () => notices);
  return (
    <div role="status" aria-live="polite" className={classes.region}>
      {said.map(({ id, text, isVisible }) =>
        isVisible ? (
          <Paper key={id} shadow="md" withBorder className={classes.notice}>
            <Text size="sm">{text}</Text>
          </Paper>
        ) : (
          <span key={id} className={classes.spoken}>
            {text}
          </span>
        ),
      )}
    </div>
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
