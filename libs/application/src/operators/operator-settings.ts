export abstract class OperatorSettings {
  abstract readonly publicUrl: string;
  /** Maximum time between two requests of a session, milliseconds. */
  abstract readonly sessionIdleMs: number;
  /** Maximum length of a session, milliseconds. */
  abstract readonly sessionMs: number;
  /** false when operators sign in by single sign-on only. */
  abstract readonly hasPasswords: boolean;
}
