/**
 * The time of a log line, in the form that pino splices into it. Formatted once for each millisecond: under load many
 * lines share one, and formatting it is a good part of writing an access line.
 */
export function logTime(now: () => number = Date.now): () => string {
  let formattedMs: number | undefined;
  let text = '';
  return () => {
    const nowMs = now();
    if (nowMs !== formattedMs) {
      formattedMs = nowMs;
      text = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return text;
  };
}
