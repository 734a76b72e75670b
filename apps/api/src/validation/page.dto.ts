import { ApiProperty } from '@nestjs/swagger';

export class PageDto {
  /** Pass it back as `pageToken` to read on; null on the last page. */
  @ApiProperty({ type: String, nullable: true, example: null })
  nextPageToken!: string | null;
}
