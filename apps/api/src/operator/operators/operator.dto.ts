import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OPERATOR_ROLES, type Operator, type OperatorRole } from '#domain/operator';
import { Omittable, OmittableOneOf } from '../../validation/field-decorators.js';
import { PersonName } from '../operator-field.decorators.js';

/** A person who runs the installation. */
export class OperatorDto {
  /** @example '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5' */
  id!: string;

  /**
   * In lower case.
   * @example 'ada@example.com'
   */
  email!: string;

  /** @example 'Ada Lovelace' */
  name!: string;

  /** `viewer` reads, `admin` changes as well. */
  @ApiProperty({ enum: OPERATOR_ROLES, enumName: 'OperatorRole', example: 'admin' })
  role!: OperatorRole;

  /** false: signs in by single sign-on alone. */
  hasPassword!: boolean;

  /** Creation time. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: Date;

  /** null: never yet. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  lastSignInAt!: Date | null;

  static from({ id, email, name, role, hasPassword, createdAt, lastSignInAt }: Operator): OperatorDto {
    return { id, email, name, role, hasPassword, createdAt, lastSignInAt };
  }
}

/** All operators. */
export class OperatorListDto {
  /** In the order of their addresses. */
  data!: OperatorDto[];
}

/** What is to change of an operator. */
export class UpdateOperatorDto {
  /** 1 to 100 characters. */
  @ApiPropertyOptional({ minLength: 1, maxLength: 100, example: 'Ada Lovelace' })
  @Omittable()
  @PersonName()
  name?: string;

  /** `viewer` reads, `admin` changes as well. Another one ends the sessions of the operator. */
  @OmittableOneOf(OPERATOR_ROLES, { enumName: 'OperatorRole', example: 'viewer' })
  role?: OperatorRole;
}
