import { Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DeliveriesService } from '#application';
import { OperatorController } from '../operator-controller.decorator.js';
import { DeliveryFiguresDto, FiguresQueryDto } from './delivery-figures.dto.js';

@ApiTags('Deliveries')
@OperatorController('deliveries')
export class DeliveryFiguresController {
  constructor(private readonly deliveries: DeliveriesService) {}

  /** Count attempts, and how long they took, over time. */
  @Get('figures')
  getDeliveryFigures(@Query() query: FiguresQueryDto): Promise<DeliveryFiguresDto> {
    return this.deliveries.figures(query);
  }
}
