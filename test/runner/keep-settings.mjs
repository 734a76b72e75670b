// jest-light-runner 0.8.2 answers the first of its processes that asks for the settings by telling all of them. A process that
// is not listening yet would ask later, and wait for ever: here it listens from its start.
import { setImmediate } from 'node:timers';

const ASKED = 'jest-light-runner-get-worker-data';
const EXPORTED_ATTRIBUTES = 'jest-light-runner-worker-data';

if (process.send !== undefined) {
  const send = process.send.bind(process);
  let settings;
  process.on('message', (message) => {
    if (message?.type === EXPORTED_ATTRIBUTES) settings = message;
  });
  process.send = (message, ...rest) => {
    if (message !== ASKED || settings === undefined) return send(message, ...rest);
    setImmediate(() => process.emit('message', settings));
    return true;
  };
}
