import { IsString, MaxLength } from 'class-validator';
import { Omittable } from '../../validation/field-decorators.js';

const MAX_PATH = 2_048;

/** Where somebody goes who has come in. */
export class StartSsoQueryDto {
  /**
   * A page of the dashboard; anything else leads to its first one.
   * @example '/dashboard/accounts'
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_PATH)
  returnTo?: string;
}

/** Where to send the browser. */
export class StartedSsoDto {
  /** The sign-in page of the identity provider. */
  url!: string;
}
