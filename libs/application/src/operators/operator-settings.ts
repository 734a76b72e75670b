/** What the installation says about its operators. */
export abstract class OperatorSettings {
  /** Under which browsers reach the dashboard. */
  abstract readonly publicUrl: string;
  /** How long a session lives without a request, milliseconds. */
  abstract readonly sessionIdleMs: number;
  /** How long a session lives at most, milliseconds. */
  abstract readonly sessionMs: number;
}
