import { TEST_CLIENT } from '../support/google-service.js';
import { eventually } from '../support/processes.js';
import type { Sandbox } from '../support/sandbox.js';

/** Whether the user still lets the client in, as whoever brought the refresh token along can tell. */
export async function isGrantAlive({ googleUrl }: Sandbox, refreshToken: string): Promise<boolean> {
  const { clientId, clientSecret } = TEST_CLIENT;
  const response = await fetch(`${googleUrl}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: clientId,
      client_secret: clientSecret,
    }),
  });
  await response.arrayBuffer();
  return response.status === 200;
}

export async function grantIsGone(sandbox: Sandbox, refreshToken: string): Promise<void> {
  await eventually('the grant is gone', async () => ((await isGrantAlive(sandbox, refreshToken)) ? undefined : true));
}
