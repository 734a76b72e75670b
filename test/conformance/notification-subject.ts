import type { CalendarPush, ChannelRequest } from '#domain/channels';
import type { AccountSession } from '#domain/providers';
import { openAdapter, type SandboxedProvider } from '../support/adapter-on-sandbox.js';
import type { ReceivedPush } from '../support/notification-receiver.js';
import type { Sandbox } from '../support/sandbox.js';

/** A provider that tells of changes, by its adapter in this process. */
export interface PushSubject {
  /** With the test user's account. */
  open(): Promise<OpenPush>;
  read(received: ReceivedPush): ReadNotification[];
}

export interface OpenPush {
  push: CalendarPush;
  session: AccountSession;
  close(): Promise<void>;
}

/** What a push says, as far as all providers say it. */
export type ReadNotification = Pick<ChannelRequest, 'channelId' | 'token'> & { kind: string };

export function pushSubject(
  provider: SandboxedProvider,
  sandbox: Sandbox,
  email: string,
  read: PushSubject['read'],
): PushSubject {
  return {
    read,
    async open() {
      const adapter = openAdapter(provider, sandbox);
      const { push } = adapter.provider();
      if (push === null) throw new Error('The provider does not push');
      return { push, session: await adapter.session(email), close: () => adapter.stop() };
    },
  };
}
