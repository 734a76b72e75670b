import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { eventually } from '../../support/processes.js';
import { Kubelet } from './kubelet.js';
import type { RenderedPod } from './rendered-pod.js';

const SLEEPING = [process.execPath, '-e', 'setInterval(() => undefined, 1e6)'];

/** A pod whose probes a server of ours answers. */
async function probed(responses: (path: string) => number) {
  const server = createServer(({ url = '' }, response) => response.writeHead(responses(url)).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const probe = (path: string) => ({
    httpGet: { path, port: 'health' },
    ...{ periodSeconds: 0.05, failureThreshold: 3, timeoutSeconds: 1 },
  });
  const pod: RenderedPod = {
    command: SLEEPING,
    env: {},
    ports: { health: (server.address() as AddressInfo).port },
    probes: { startup: probe('/startup'), liveness: probe('/live'), readiness: probe('/ready') },
    ...{ preStopSeconds: 0, graceSeconds: 5, mounts: [] },
  };
  const kubelet = Kubelet.start(pod, tmpdir());
  return {
    kubelet,
    async end() {
      await kubelet.end();
      server.close();
    },
  };
}

describe('a kubelet', () => {
  it('ends a container that does not start in time, and starts it again', async () => {
    const { kubelet, end } = await probed((path) => (path === '/startup' ? 503 : 200));
    await eventually('it is started again', () => (kubelet.restarts > 0 ? true : undefined));
    expect(kubelet.endedBy[0]).toBe('startup');
    await end();
  });

  it('ends a container that lives no more, not one that fails twice', async () => {
    let asked = 0;
    let isDead = false;
    const { kubelet, end } = await probed((path) => {
      if (path !== '/live') return 200;
      asked += 1;
      return isDead || asked === 2 || asked === 3 ? 500 : 200;
    });
    await eventually('it was asked', () => (asked > 8 ? true : undefined));
    expect(kubelet.endedBy).toEqual([]);
    isDead = true;
    await eventually('it is started again', () => (kubelet.restarts > 0 ? true : undefined));
    expect(kubelet.endedBy[0]).toBe('liveness');
    await end();
  });
});
