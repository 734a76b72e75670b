export interface FieldError {
  /** For example `name` or `redirectUrls.0`. */
  path: string;
  message: string;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** 0 without a response. */
    readonly status: number,
    /** `NotFound`, `Conflict`, …; `Unreachable` without a response, `Unreadable` for a response of a proxy. */
    readonly code: string,
    message: string,
    readonly details: readonly FieldError[] = [],
    readonly requestId: string | null = null,
  ) {
    super(message);
  }

  /** First invalid field. */
  get field(): string | null {
    return this.details[0]?.path ?? null;
  }
}
