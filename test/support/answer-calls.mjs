/**
 * The other side of forked-calls.ts, until the process that forked this one lets go.
 * @param {(call: object) => Promise<unknown>} answer
 */
export async function answerCalls(answer) {
  const disconnected = new Promise((resolve) => process.once('disconnect', resolve));
  process.on('message', async ({ id, ...call }) => {
    try {
      process.send({ id, answer: await answer(call) });
    } catch (error) {
      process.send({ id, error: error.message });
    }
  });
  process.send('ready');
  await disconnected;
}
