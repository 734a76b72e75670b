import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import type { EmailInvitation } from '#application/operator';
import { OPERATOR_ROLES, type OperatorInvitation, type OperatorRole } from '#domain/operator';
import { OperatorEmail, OptionalOperatorEmail, Password, PersonName } from '../operator-field.decorators.js';

const ROLE = { enum: OPERATOR_ROLES, enumName: 'OperatorRole', example: 'viewer' };
const MAX_TOKEN = 128;

/** Invites a person to become an operator. */
export class CreateInvitationDto {
  /** Replaces an open invitation of the same address. */
  @OperatorEmail()
  email!: string;

  /** A `viewer` reads, an `admin` also changes. */
  @ApiProperty(ROLE)
  @IsIn(OPERATOR_ROLES)
  role!: OperatorRole;
}

/** An open invitation. */
export class InvitationDto {
  /** @example '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5' */
  id!: string;

  /**
   * Address of the invited person.
   * @example 'ada@example.com'
   */
  email!: string;

  /** Role of the new operator. */
  @ApiProperty(ROLE)
  role!: OperatorRole;

  /** Address of the operator who invited; null when the command line did, or when that operator was deleted. */
  @ApiProperty({ type: String, nullable: true, example: 'grace@example.com' })
  invitedBy!: string | null;

  /** Creation time. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: Date;

  /** When the link stops working: a week after the creation. */
  @ApiProperty({ format: 'date-time', example: '2026-11-28T09:30:00.000Z' })
  expiresAt!: Date;

  static from({ id, email, role, invitedBy, createdAt, expiresAt }: EmailInvitation): InvitationDto {
    return { id, email, role, invitedBy, createdAt, expiresAt };
  }
}

/** Open invitations. */
export class InvitationListDto {
  /** Newest first. */
  data!: InvitationDto[];
}

/** An invitation with its link. */
export class NewInvitationDto extends InvitationDto {
  /**
   * Hand it to the invited person. The service shows it once.
   * @example 'https://calendar.example.com/dashboard/invitation#zY0Zr5kX0jM7n1b6Jr7o5m0yQ2i8mA9r3c4d5e6f7g8'
   */
  link!: string;
}

/** Token of an invitation link. */
export class OpenInvitationDto {
  /** The part of the link after `#`. */
  @IsString()
  @MaxLength(MAX_TOKEN)
  token!: string;
}

/** The invitation of a link. */
export class OpenedInvitationDto {
  /** Address of the invited person; null for the setup link, whose operator enters an address. */
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  email!: string | null;

  /** Role of the new operator. */
  @ApiProperty(ROLE)
  role!: OperatorRole;

  /** When the link stops working. */
  @ApiProperty({ format: 'date-time', example: '2026-11-28T09:30:00.000Z' })
  expiresAt!: Date;

  static from({ email, role, expiresAt }: OperatorInvitation): OpenedInvitationDto {
    return { email, role, expiresAt };
  }
}

/** Accepts an invitation. */
export class AcceptInvitationDto extends OpenInvitationDto {
  /** Required with the setup link; otherwise the address of the invitation applies. */
  @OptionalOperatorEmail()
  email?: string;

  /** 1 to 100 characters. */
  @ApiProperty({ minLength: 1, maxLength: 100, example: 'Ada Lovelace' })
  @PersonName()
  name!: string;

  /** 12 to 256 characters. */
  @Password()
  password!: string;
}
