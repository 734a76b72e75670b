import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { ReadBodyInterceptor } from '../http/read-body.interceptor.js';
import { PushesIntake } from './pushes-intake.js';
import { validationTokenOf } from './validation-token.js';

const MAX_BODY_BYTES = 1_048_576;

/** Reads the body of pushes: no body belongs to a validation, and none is read of somebody who only forges. */
@Injectable()
export class PushBodyInterceptor implements NestInterceptor {
  private readonly body = new ReadBodyInterceptor(MAX_BODY_BYTES);

  constructor(private readonly intake: PushesIntake) {}

  async intercept(execution: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = execution.switchToHttp().getRequest<Request>();
    if (validationTokenOf(request.query) !== null) return next.handle();
    const source = request.ip ?? '';
    this.intake.assertTrusted(source);
    try {
      return await this.body.intercept(execution, next);
    } catch (error) {
      this.intake.noteForged('MICROSOFT', source);
      throw error;
    }
  }
}
