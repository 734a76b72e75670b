import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import type { EmailInvitation } from '#application/operator';
import { OPERATOR_ROLES, type OperatorInvitation, type OperatorRole } from '#domain/operator';
import { OperatorEmail, OptionalOperatorEmail, Password, PersonName } from '../operator-field.decorators.js';

const ROLE = { enum: OPERATOR_ROLES, enumName: 'OperatorRole', example: 'viewer' };
const MAX_TOKEN = 128;

/** Who is to become an operator. */
export class CreateInvitationDto {
  /** A further invitation of the same address takes the place of the first. */
  @OperatorEmail()
  email!: string;

  /** `viewer` reads, `admin` changes as well. */
  @ApiProperty(ROLE)
  @IsIn(OPERATOR_ROLES)
  role!: OperatorRole;
}

/** An invitation that is open. */
export class InvitationDto {
  /** @example '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5' */
  id!: string;

  /**
   * Who is invited.
   * @example 'ada@example.com'
   */
  email!: string;

  /** What they will be. */
  @ApiProperty(ROLE)
  role!: OperatorRole;

  /** Address of who invited; null: the command line, or nobody who is still an operator. */
  @ApiProperty({ type: String, nullable: true, example: 'grace@example.com' })
  invitedBy!: string | null;

  /** Creation time. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: Date;

  /** A week later. */
  @ApiProperty({ format: 'date-time', example: '2026-11-28T09:30:00.000Z' })
  expiresAt!: Date;

  static from({ id, email, role, invitedBy, createdAt, expiresAt }: EmailInvitation): InvitationDto {
    return { id, email, role, invitedBy, createdAt, expiresAt };
  }
}

/** All that are open. */
export class InvitationListDto {
  /** Newest first. */
  data!: InvitationDto[];
}

/** An invitation with its link. */
export class NewInvitationDto extends InvitationDto {
  /**
   * To be handed to the invited person. It is not shown again.
   * @example 'https://calendar.example.com/dashboard/invitation#zY0Zr5kX0jM7n1b6Jr7o5m0yQ2i8mA9r3c4d5e6f7g8'
   */
  link!: string;
}

/** A link that is opened. */
export class OpenInvitationDto {
  /** What is behind the `#` of the link. */
  @IsString()
  @MaxLength(MAX_TOKEN)
  token!: string;
}

/** What a link is for. */
export class OpenedInvitationDto {
  /** Who is invited; null: the setup link, where the first operator says it. */
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  email!: string | null;

  /** What they will be. */
  @ApiProperty(ROLE)
  role!: OperatorRole;

  /** When the link stops working. */
  @ApiProperty({ format: 'date-time', example: '2026-11-28T09:30:00.000Z' })
  expiresAt!: Date;

  static from({ email, role, expiresAt }: OperatorInvitation): OpenedInvitationDto {
    return { email, role, expiresAt };
  }
}

/** Who becomes an operator. */
export class AcceptInvitationDto extends OpenInvitationDto {
  /** With the setup link; else as it was invited. */
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
