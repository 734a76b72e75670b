import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, IsUUID, Matches, MaxLength } from 'class-validator';
import type { ProviderType } from '#domain/accounts';
import type { RecordedRequest } from '#domain/system';
import { Omittable, PageLimit, PageToken } from '../../validation/field-decorators.js';
import { PageDto } from '../../validation/page.dto.js';
import { ProviderTypeField } from '../../validation/provider-fields.js';

const MAX_REQUEST_ID = 128;
const MAX_TIME = 64;

/** What requests are searched by, and paging. */
export class ListRequestsQueryDto {
  /**
   * The header `x-request-id`.
   * @example '8b0f6c9e-4f0d-4f5e-9a53-0e9b1a8f5a11'
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_REQUEST_ID)
  requestId?: string;

  /** Of one application. */
  @ApiPropertyOptional({ format: 'uuid' })
  @Omittable()
  @IsUUID()
  applicationId?: string;

  /** About one account. */
  @ApiPropertyOptional({ format: 'uuid' })
  @Omittable()
  @IsUUID()
  accountId?: string;

  /**
   * A status, or a class of them.
   * @example '5xx'
   */
  @Omittable()
  @Matches(/^[2-5](?:xx|\d\d)$/, { message: '$property must be a status such as 404, or a class of them such as 4xx' })
  status?: string;

  /**
   * Those that started then or later, ISO 8601.
   * @example '2026-11-21T00:00:00Z'
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_TIME)
  from?: string;

  /**
   * Those that started before, ISO 8601.
   * @example '2026-11-22T00:00:00Z'
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_TIME)
  to?: string;

  /**
   * Requests on a page; larger is clamped to 200.
   * @example 50
   */
  @PageLimit()
  limit?: number;

  /** `nextPageToken` of the page before. */
  @PageToken()
  pageToken?: string;
}

/** A completed request. Its content and the content of its response are not stored. */
export class RequestDto {
  /** @example '8b0f6c9e-4f0d-4f5e-9a53-0e9b1a8f5a11' */
  requestId!: string;

  /** When it came. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  at!: Date;

  /** @example 'GET' */
  method!: string;

  /**
   * The path with the names of its parameters; `*`: there is nothing at the address that was asked for.
   * @example '/v1/endUserAccounts/:endUserAccountId'
   */
  route!: string;

  /** 499: the caller did not wait for the answer. */
  @ApiProperty({ type: 'integer', example: 404 })
  status!: number;

  /** Of the error that was answered. */
  @ApiProperty({ type: String, nullable: true, example: 'NotFound' })
  errorCode!: string | null;

  /** How long it took, milliseconds. */
  @ApiProperty({ type: 'integer', example: 12 })
  durationMs!: number;

  /** null: it had no valid key. */
  @ApiProperty({ type: String, nullable: true, example: '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f6' })
  applicationId!: string | null;

  /** The key, not its text. */
  @ApiProperty({ type: String, nullable: true, example: '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f7' })
  apiKeyId!: string | null;

  /** The account that it was about, where it is one of the application. */
  @ApiProperty({ type: String, nullable: true, example: '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5' })
  accountId!: string | null;

  /** Of that account. */
  @ProviderTypeField({ nullable: true })
  providerType!: ProviderType | null;

  /** Its trace at `TRACE_URL`. null without that setting, and for a trace that was not exported. */
  @ApiProperty({ type: String, nullable: true, example: 'https://traces.example.com/4bf92f3577b34da6a3ce929d0e0e4736' })
  traceUrl!: string | null;

  /** @param traceUrl page of the tracing system, with `{traceId}` */
  static from({ id: _, startedAt: at, traceId, ...request }: RecordedRequest, traceUrl: string | null): RequestDto {
    const hasTrace = traceUrl !== null && traceId !== null;
    return { ...request, at, traceUrl: hasTrace ? traceUrl.replaceAll('{traceId}', traceId) : null };
  }
}

/** A page of requests, newest first. */
export class RequestPageDto extends PageDto {
  /** The requests. */
  data!: RequestDto[];
}
