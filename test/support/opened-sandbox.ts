import { DEMO_CLIENTS } from '../../apps/sandbox/src/demo-clients.js';
import { Sandbox } from '../../apps/sandbox/src/sandbox.js';
import type { Control } from './sandbox-microsoft.js';

/** A sandbox in this process, on ports of its own, without anybody in it. */
export async function openSandbox(): Promise<{ sandbox: Sandbox; control: Control }> {
  const { google, microsoft, operators } = DEMO_CLIENTS;
  const anywhere = { port: 0, url: undefined, redirectUris: [] };
  const sandbox = await Sandbox.start({
    ...{
      host: '127.0.0.1',
      providers: {
        google: { ...anywhere, demoClient: google },
        microsoft: { ...anywhere, demoClient: microsoft },
      },
    },
    operatorsClient: operators,
    ...{ controlPort: 0, controlUrl: undefined, seed: null },
  });
  const control: Control = async (method, path, body) => {
    const response = await fetch(`${sandbox.controlUrl}${path}`, {
      method,
      ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const read: any = await response.json();
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(read)}`);
    return read;
  };
  return { sandbox, control };
}
