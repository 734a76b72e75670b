import { eventCalls, type EventCalls } from '../../../support/event-calls.js';
import { startGoogleService, type GoogleService } from '../../../support/google-service.js';

/** Whose account the tests work on. */
export const ME = 'me@example.test';
/** Another user of the same Google. */
export const OTHER = 'other@example.test';

/** The service with an account of {@link ME}, and Google's own pages beside it. */
export interface GoogleAccount extends GoogleService, EventCalls {
  accountId: string;
  /** A call of the Calendar API by a user in Google's own pages; its body. */
  google(methodId: string, path: Record<string, string>, body?: unknown, email?: string): Promise<any>;
}

export async function openGoogleAccount(): Promise<GoogleAccount> {
  const fixture = await startGoogleService();
  const { sandbox, service } = fixture;
  await sandbox.addUser({ email: OTHER, timeZone: 'Europe/Berlin', workspace: true });
  const { accountId } = await fixture.connected(ME);
  return {
    ...fixture,
    ...eventCalls(service, accountId),
    accountId,
    async google(methodId, path, body, email = ME) {
      const response = await sandbox.act({ email, methodId, path, body });
      if (response.status >= 300) throw new Error(`${methodId}: ${response.status} ${JSON.stringify(response.body)}`);
      return response.body;
    },
    async stop() {
      try {
        await sandbox.expectNoViolations();
      } finally {
        await fixture.stop();
      }
    },
  };
}
