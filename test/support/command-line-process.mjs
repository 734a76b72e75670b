// The operator's command line: its modules are loaded once for any number of commands, which come one after the other, each
// with an environment of its own. POST /: { args, env } is answered with { exitCode, stdout, stderr }.
import 'reflect-metadata';
import { answerCalls } from './answer-calls.mjs';

const { run } = await import(process.env.OPS_RUN);

const [node, script] = process.argv;
const own = { ...process.env };

async function answer({ args, env }) {
  process.argv = [node, script, ...args];
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const written = { stdout: '', stderr: '' };
  const streams = Object.keys(written);
  const writes = streams.map((stream) => process[stream].write);
  for (const stream of streams) {
    process[stream].write = (text) => {
      written[stream] += text;
      return true;
    };
  }
  try {
    return { exitCode: await run(), ...written };
  } finally {
    streams.forEach((stream, index) => (process[stream].write = writes[index]));
    Object.assign(process.env, own);
  }
}

let last = Promise.resolve();
answerCalls((_, command) => {
  const answered = last.then(() => answer(command));
  last = answered.catch(() => undefined);
  return answered;
});
