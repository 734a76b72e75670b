import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { ReadBodyInterceptor } from '../http/read-body.interceptor.js';
import { PushesIntake } from './pushes-intake.js';
import { validationTokenOf } from './validation-token.js';

const MAX_BODY_BYTES = 1_048_576;
/** More than a hundred pushes. */
const MAX_DOUBTED_BODY_BYTES = 131_072;

/** Reads the body of pushes: none belongs to a validation, and no long one is read of somebody who has forged many. */
@Injectable()
export class PushBodyInterceptor implements NestInterceptor {
  private readonly body = new ReadBodyInterceptor(MAX_BODY_BYTES);
  private readonly doubtedBody = new ReadBodyInterceptor(MAX_DOUBTED_BODY_BYTES);

  constructor(private readonly intake: PushesIntake) {}

  async intercept(execution: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = execution.switchToHttp().getRequest<Request>();
    if (validationTokenOf(request.query) !== null) return next.handle();
    const source = request.ip ?? '';
    const isDoubted = this.intake.isDoubted(source);
    try {
      return await (isDoubted ? this.doubtedBody : this.body).intercept(execution, next);
    } catch (error) {
      if (isDoubted) this.intake.assertTrusted(source);
      this.intake.noteForged('MICROSOFT', source);
      throw error;
    }
  }
}
