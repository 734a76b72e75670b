export interface FieldFault {
  /** `name`, `redirectUrls.0` */
  path: string;
  message: string;
}

/** What the API answered instead of what was asked for, as its envelope says it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** 0: there was no answer. */
    readonly status: number,
    /** `NotFound`, `Conflict`, …; `Unreachable` when there was no answer, `Unreadable` when it was not the API's. */
    readonly code: string,
    message: string,
    /** What was wrong with the input, by field. */
    readonly details: readonly FieldFault[] = [],
    readonly requestId: string | null = null,
  ) {
    super(message);
  }

  /** The first field of the input that is to blame. */
  get field(): string | null {
    return this.details[0]?.path ?? null;
  }
}
