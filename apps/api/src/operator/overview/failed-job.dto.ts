import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { NotBlank, Omittable } from '../../validation/field-decorators.js';

const MAX_NAME = 200;

/** A job that failed for good. */
export class FailedJobDto {
  /** @example 'webhook-deliveries' */
  queue!: string;

  /** @example '4711' */
  id!: string;

  /** @example 'deliver' */
  name!: string;

  /** How often it was tried. */
  @ApiProperty({ type: 'integer', example: 1 })
  attempts!: number;

  /** null: it is not known. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  failedAt!: Date | null;

  /** @example 'The service cannot reach its database' */
  reason!: string;
}

/** Failed jobs, newest first, at most 100 of each queue. */
export class FailedJobListDto {
  /** The jobs. */
  data!: FailedJobDto[];
}

/** Which failed jobs are to run again. */
export class RedriveDto {
  /** @example 'webhook-deliveries' */
  @IsString()
  @NotBlank()
  @MaxLength(MAX_NAME)
  queue!: string;

  /** Left out: all of the queue. */
  @Omittable()
  @IsString()
  @NotBlank()
  @MaxLength(MAX_NAME)
  jobId?: string;
}

/** How many jobs run again. */
export class RedrivenDto {
  /** Jobs that had failed and wait now. */
  @ApiProperty({ type: 'integer', example: 1 })
  redriven!: number;
}
