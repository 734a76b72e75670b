import type { Worker } from 'bullmq';

/** Takes no new job and waits for those that run. After `late` their locks run out, and other workers do them again. */
export async function closeWorker(worker: Worker, late: AbortSignal): Promise<void> {
  const letGo = () => void worker.close(true);
  late.addEventListener('abort', letGo, { once: true });
  try {
    await worker.close();
  } finally {
    late.removeEventListener('abort', letGo);
  }
}
