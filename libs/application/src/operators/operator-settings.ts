/** What the installation says about its operators. */
export abstract class OperatorSettings {
  /** Under which browsers reach this service. */
  abstract readonly publicUrl: string;
  /** How long a session lives without a request, milliseconds. */
  abstract readonly sessionIdleMs: number;
  /** How long a session lives at most, milliseconds. */
  abstract readonly sessionMs: number;
  /** false: operators sign in by single sign-on alone. */
  abstract readonly hasPasswords: boolean;
}
