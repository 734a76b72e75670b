import { Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorAuditService } from '#application/operator';
import { Fails } from '../../openapi/operation.decorators.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { ForTokens } from '../operator.decorators.js';
import { AuditPageDto, AuditQueryDto } from './audit.dto.js';

@ApiTags('Audit log')
@OperatorController('audit')
@ForTokens('installation')
export class AuditController {
  constructor(private readonly audit: OperatorAuditService) {}

  /** List what was done, and by whom, newest first. */
  @Get()
  @Fails('PageTokenInvalid')
  listAuditEntries(@Query() query: AuditQueryDto): Promise<AuditPageDto> {
    return this.audit.list(query);
  }
}
