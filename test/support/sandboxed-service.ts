import type { OAuthAccounts } from './oauth-accounts.js';
import { joinSandbox, startSandbox, type Sandbox } from './sandbox.js';
import { joinService, startService, type Service } from './service.js';

/** Environment of the service on top of what it needs to reach the sandbox. */
export type SandboxedSettings = NodeJS.ProcessEnv | ((sandbox: Sandbox) => NodeJS.ProcessEnv);

/**
 * A sandbox and a service that is pointed at it, with one provider's accounts: those that suites share, or, with settings,
 * others that are the caller's alone.
 */
export async function startSandboxedService(
  accounts: (sandbox: Sandbox, service: Service) => Promise<OAuthAccounts>,
  settings?: SandboxedSettings,
): Promise<OAuthAccounts & { stop(): Promise<void> }> {
  if (settings === undefined) {
    const joined = await joinService();
    const shared = await accounts(await joinSandbox(), joined);
    return { ...shared, stop: () => Promise.resolve() };
  }
  const sandbox = await startSandbox();
  let service: Service | undefined;
  const stop = async () => {
    await service?.stop();
    await sandbox.stop();
  };
  try {
    service = await startService({
      ...sandbox.env,
      GOOGLE_REQUESTS_PER_MINUTE: '100000',
      MICROSOFT_REQUESTS_PER_MINUTE: '100000',
      ...(typeof settings === 'function' ? settings(sandbox) : settings),
    });
    return { ...(await accounts(sandbox, service)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
