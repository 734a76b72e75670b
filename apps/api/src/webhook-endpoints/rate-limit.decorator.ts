import { applyDecorators } from '@nestjs/common';
import { IsNumber, Min } from 'class-validator';

/** Messages per second, 1 or more; need not be whole. */
export function MessagesPerSecond(): PropertyDecorator {
  return applyDecorators(IsNumber(), Min(1));
}
