/** Asks from a process of its own: whoever is asked is to have one for himself. Tells the statuses of the answers. */
import { openLoad, type Call } from './open-load.js';

export interface LoadTask {
  origin: string;
  call: Call;
  perSecond: number;
  forMs: number;
  connections: number;
}

process.on('message', ({ call, ...load }: LoadTask) => {
  void openLoad({ ...load, call: () => call }).then((answered) => process.send!(answered.map(({ status }) => status)));
});
process.send!('ready');
