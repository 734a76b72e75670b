import { ApiProperty } from '@nestjs/swagger';
import type { AuthenticatedSession } from '#application/operator';
import { OperatorEmail, Password } from '../operator-field.decorators.js';
import { OperatorDto } from '../operators/operator.dto.js';

/** A session. Its cookie comes in the header `set-cookie`. */
export class SessionDto {
  /** Whose it is. */
  operator!: OperatorDto;

  /**
   * Goes into the header `x-csrf-token` of every request that changes something.
   * @example '3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
   */
  csrfToken!: string;

  /** When it ends for lack of requests; each request moves it on, until `endsAt`. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T10:00:00.000Z' })
  idleUntil!: Date;

  /** When it ends at the latest. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T21:30:00.000Z' })
  endsAt!: Date;

  static from({ operator, csrfToken, idleUntil, endsAt }: AuthenticatedSession): SessionDto {
    return { operator: OperatorDto.from(operator), csrfToken, idleUntil, endsAt };
  }
}

/** A browser that you are signed in with. */
export class OwnSessionDto {
  /**
   * Another one after each reauthentication.
   * @example '4Xo1vNqz0cU7m3fYk2pRsA'
   */
  id!: string;

  /** What the browser called itself, in short; null: nothing that is known. */
  @ApiProperty({ type: String, nullable: true, example: 'Firefox on Linux' })
  device!: string | null;

  /** From where it signed in: an IPv4 address, or the /64 of an IPv6 one; null: it is not known. */
  @ApiProperty({ type: String, nullable: true, example: '203.0.113.7' })
  network!: string | null;

  /** When it began. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: Date;

  /** To the minute. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T10:12:00.000Z' })
  lastUsedAt!: Date;

  /** The one that asks. */
  isCurrent!: boolean;
}

/** Your sessions. */
export class OwnSessionListDto {
  /** The latest first. */
  data!: OwnSessionDto[];
}

/** Who signs in. */
export class SignInDto {
  /** In any case of letters. */
  @OperatorEmail()
  email!: string;

  /** The operator's. */
  @Password()
  password!: string;
}

/** Who proves again who they are. */
export class ReauthenticateDto {
  /** The operator's. */
  @Password()
  password!: string;
}

/** A new password. */
export class UpdatePasswordDto {
  /** The one of until now. */
  @Password()
  currentPassword!: string;

  /** 12 to 256 characters. */
  @Password()
  newPassword!: string;
}

/** The button of the single sign-on. */
export class SsoButtonDto {
  /**
   * What it says.
   * @example 'Example Corp'
   */
  label!: string;
}

/** What the page before a session has to know. */
export class SignInOptionsDto {
  /** There is no operator yet: the log of the api says how to make the first one. */
  needsSetup!: boolean;

  /** false: operators sign in by single sign-on alone. */
  hasPasswords!: boolean;

  /** null: there is no single sign-on. */
  @ApiProperty({ type: SsoButtonDto, nullable: true })
  sso!: SsoButtonDto | null;
}
