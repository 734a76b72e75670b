import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import type { All, FailedJobView, Redriven, RedriveInput } from '#operator-api';
import { NotBlank, Omittable } from '../../validation/field-decorators.js';

const MAX_NAME = 200;

/** A job that failed for good. */
export class FailedJobDto implements FailedJobView {
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
  failedAt!: string | null;

  /** @example 'The service cannot reach its database' */
  reason!: string;
}

/** Failed jobs, newest first, at most 100 of each queue. */
export class FailedJobListDto implements All<FailedJobView> {
  /** The jobs. */
  data!: FailedJobDto[];
}

/** Which failed jobs are to run again. */
export class RedriveDto implements RedriveInput {
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
export class RedrivenDto implements Redriven {
  /** Jobs that had failed and wait now. */
  @ApiProperty({ type: 'integer', example: 1 })
  redriven!: number;
}
