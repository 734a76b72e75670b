import { ApiProperty } from '@nestjs/swagger';
import { IsString, IsUUID, MaxLength } from 'class-validator';
import { Omittable, PageLimit, PageToken } from '../../validation/field-decorators.js';
import { PageDto } from '../../validation/page.dto.js';

const MAX_FILTER = 320;

/** Something that was done. */
export class AuditEntryDto {
  /** @example '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5' */
  id!: string;

  /** When. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  recordedAt!: Date;

  /**
   * By whom: an operator, an application key, the command line (`ops`), the network of somebody who is not signed in.
   * @example 'operator:ada@example.com'
   */
  actor!: string;

  /**
   * What.
   * @example 'api-key.revoked'
   */
  action!: string;

  /**
   * To what.
   * @example 'api-key:019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5'
   */
  subject!: string;

  /** null: to no application. */
  @ApiProperty({ type: String, nullable: true, example: '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5' })
  applicationId!: string | null;

  /** null: by no request. */
  @ApiProperty({ type: String, nullable: true, example: '7c0c8f4e-3f0a-4a53-9f6e-0c3f1d2b4a5e' })
  requestId!: string | null;
}

/** A page of the audit log, newest first. */
export class AuditPageDto extends PageDto {
  /** The entries. */
  data!: AuditEntryDto[];
}

/** Filters and paging of the audit log. */
export class AuditQueryDto {
  /** What was done to one application. */
  @Omittable()
  @IsUUID()
  applicationId?: string;

  /** What one actor did. */
  @Omittable()
  @IsString()
  @MaxLength(MAX_FILTER)
  actor?: string;

  /** One kind of thing that is done. */
  @Omittable()
  @IsString()
  @MaxLength(MAX_FILTER)
  action?: string;

  /** Entries on a page; larger is clamped to 200. */
  @PageLimit()
  limit?: number;

  /** `nextPageToken` of the page before. */
  @PageToken()
  pageToken?: string;
}
