import { IsString, MaxLength } from 'class-validator';
import { NotBlank } from '../../validation/field-decorators.js';

const MAX_URL = 2_000;

/** Where users of an application may be sent back to. */
export class RedirectUrlDto {
  /** @example 'https://app.example.com/connected' */
  url!: string;

  /** Where users are sent when the application does not say. */
  isDefault!: boolean;
}

/** The redirect URLs of an application, oldest first. */
export class RedirectUrlListDto {
  data!: RedirectUrlDto[];
}

/** One redirect URL. */
export class RedirectUrlInputDto {
  /**
   * Compared letter for letter.
   * @example 'https://app.example.com/connected'
   */
  @MaxLength(MAX_URL)
  @NotBlank()
  @IsString()
  url!: string;
}
