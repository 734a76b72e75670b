/** What a provider answered instead of a result: the facts of its error body, nothing of its text that is not safe. */
export abstract class ProviderRefusal extends Error {
  constructor(
    /** As the provider is called in messages. */
    provider: string,
    /** HTTP status. */
    readonly status: number,
    /** The provider's own word for it; null when the body said none. */
    readonly code: string | null,
    /** The provider's own sentence, cut and cleaned; for the caller where the input is to blame. */
    readonly detail: string,
    /** Of the Retry-After header, milliseconds; null when there was none. */
    readonly retryAfterMs: number | null,
  ) {
    super(`${provider} answered ${status} ${code ?? ''}`.trimEnd());
  }
}

/** Longest sentence that is passed on, characters. */
const MAX_DETAIL = 300;

/**
 * One line of text without markup, cut.
 * @param secret never repeated, should the text hold it
 */
export function refusalSentence(text: string, secret: string): string {
  const clean = (secret === '' ? text : text.replaceAll(secret, '…'))
    .slice(0, 4 * MAX_DETAIL)
    .replace(/<[^>]*>/g, ' ')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return clean.length > MAX_DETAIL ? `${clean.slice(0, MAX_DETAIL - 1)}…` : clean;
}

/** What is shaped like an error code; null for anything else, whose text nobody has to see. */
export function refusalCode(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Za-z][\w.-]{0,63}$/.test(value) ? value : null;
}

/** null for text that is no JSON. */
export function parsedJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
