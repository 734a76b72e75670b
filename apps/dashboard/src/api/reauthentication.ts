import { useSyncExternalStore } from 'react';

interface Question {
  settled: Promise<boolean>;
  settle: (isVerified: boolean) => void;
}

/** At most one: further rejected requests wait for the same answer. */
let question: Question | null = null;
const listeners = new Set<() => void>();

function change(next: Question | null): void {
  question = next;
  for (const listener of listeners) listener();
}

/** @returns false when the operator cancels */
export function askForReauthentication(): Promise<boolean> {
  if (question === null) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    change({ settled: promise, settle: resolve });
  }
  return question!.settled;
}

export function finishReauthentication(isVerified: boolean): void {
  const asked = question;
  change(null);
  asked?.settle(isVerified);
}

export function useReauthentication(): boolean {
  return useSyncExternalStore(subscribe, () => question !== null);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The tab that returns from the identity provider notifies the waiting tab. */
const CHANNEL = 'operator-reauthentication';

export function announceReauthenticated(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('done');
  channel.close();
}

/** @returns a function that unsubscribes */
export function onReauthenticated(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', listener);
  return () => channel.close();
}
