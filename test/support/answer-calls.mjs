// A process that answers calls over HTTP on loopback. It says its address in its first line.
import { createServer } from 'node:http';

/**
 * Answers each request with `{ answer }` or `{ error }`.
 * @param {(method: string, call: any) => Promise<unknown>} answer
 */
export function answerCalls(answer) {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const reply = await answer(request.method, JSON.parse(Buffer.concat(chunks).toString('utf8'))).then(
      (value) => ({ answer: value }),
      (error) => ({ error: error.message }),
    );
    response.setHeader('content-type', 'application/json').end(JSON.stringify(reply));
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
}
