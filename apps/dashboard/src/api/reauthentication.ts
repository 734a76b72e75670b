import { useSyncExternalStore } from 'react';

interface Question {
  answered: Promise<boolean>;
  answer: (isProven: boolean) => void;
}

/** At most one: whatever else is refused meanwhile waits for the same answer. */
let question: Question | null = null;
const listeners = new Set<() => void>();

function change(next: Question | null): void {
  question = next;
  for (const told of listeners) told();
}

/** Asks the operator to prove who they are. @returns false: they would rather not */
export function askForReauthentication(): Promise<boolean> {
  if (question === null) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    change({ answered: promise, answer: resolve });
  }
  return question!.answered;
}

/** Ends the question. */
export function answerReauthentication(isProven: boolean): void {
  const asked = question;
  change(null);
  asked?.answer(isProven);
}

/** Whether the operator is being asked. */
export function useReauthentication(): boolean {
  return useSyncExternalStore(subscribe, () => question !== null);
}

function subscribe(told: () => void): () => void {
  listeners.add(told);
  return () => listeners.delete(told);
}

/** Between tabs: the one that was at the identity provider tells the one that waits. */
const CHANNEL = 'operator-reauthentication';

export function tellReauthenticated(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('done');
  channel.close();
}

/** @returns ends it */
export function onReauthenticated(told: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', told);
  return () => channel.close();
}
