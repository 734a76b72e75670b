/** Undoes a transaction: other credentials are stored by now. */
export class Superseded extends Error {}

/** null when the transaction was undone by {@link Superseded}. */
export async function unlessSuperseded<T>(transaction: Promise<T>): Promise<T | null> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof Superseded) return null;
    throw error;
  }
}
