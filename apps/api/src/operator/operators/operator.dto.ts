import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { OPERATOR_ROLES, type OperatorRole } from '#domain';
import { Omittable } from '../../validation/field-decorators.js';
import { PersonName } from '../operator-field.decorators.js';
import { OperatorDto } from '../session/session.dto.js';

/** All operators. */
export class OperatorListDto {
  /** In the order of their addresses. */
  data!: OperatorDto[];
}

/** What is to change of an operator. */
export class ChangeOperatorDto {
  /** 1 to 100 characters. */
  @ApiPropertyOptional({ minLength: 1, maxLength: 100, example: 'Ada Lovelace' })
  @Omittable()
  @PersonName()
  name?: string;

  /** `viewer` reads, `admin` changes as well. Another one ends the sessions of the operator. */
  @ApiPropertyOptional({ enum: OPERATOR_ROLES, enumName: 'OperatorRole', example: 'viewer' })
  @Omittable()
  @IsIn(OPERATOR_ROLES)
  role?: OperatorRole;
}
