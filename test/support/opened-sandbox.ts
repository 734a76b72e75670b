import { createCalendarApi } from '../../apps/sandbox/src/google/calendar/index.js';
import { createGraphApi } from '../../apps/sandbox/src/microsoft/calendar/index.js';
import { Sandbox } from '../../apps/sandbox/src/sandbox.js';
import type { Control } from './sandbox-microsoft.js';

/** A sandbox in this process, on ports of its own, without anybody in it. */
export async function openSandbox(): Promise<{ sandbox: Sandbox; control: Control }> {
  const anywhere = { googlePort: 0, microsoftPort: 0, controlPort: 0 };
  const asTheyAre = { googleUrl: undefined, microsoftUrl: undefined, controlUrl: undefined };
  const sandbox = await Sandbox.start(
    { host: '127.0.0.1', ...anywhere, ...asTheyAre, seed: null, redirectUris: [] },
    { createCalendarApi, createGraphApi },
  );
  const control: Control = async (method, path, body) => {
    const answer = await fetch(`${sandbox.controlUrl}${path}`, {
      method,
      ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const read: any = await answer.json();
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(read)}`);
    return read;
  };
  return { sandbox, control };
}
