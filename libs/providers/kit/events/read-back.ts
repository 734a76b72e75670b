import { DomainError } from '#domain';

/** A read after a write that the provider has confirmed. */
export interface ReadBack<T> {
  signal: AbortSignal;
  read(): Promise<T>;
  /** True for what the provider answers instead of a result. */
  isRefusal(error: unknown): boolean;
  /** What is known without it. */
  otherwise(): T;
}

/**
 * Whatever the provider or the way there makes of the read, what was written is written: an error would say that it was
 * not. A refused token is no exception, since it would have everything done once more.
 */
export async function readBack<T>(back: ReadBack<T>): Promise<T> {
  try {
    return await back.read();
  } catch (error) {
    if (back.signal.aborted || error instanceof DomainError || back.isRefusal(error)) return back.otherwise();
    throw error;
  }
}
